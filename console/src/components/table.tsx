import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, type ReactNode, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import { useItemKeys } from '../shell/item-keys.ts'
import type { ListPlace } from './list-place.ts'

export interface Column<Row> {
  title: string
  cell(row: Row): ReactNode
  /** A track of a CSS grid. Default: an equal share. */
  width?: string
  align?: 'end'
}

export interface TableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey(row: Row): string
  /** How many there are on all pages. Default: those of `rows`. */
  count?: number
  /** Called when the last of `rows` comes into sight. */
  onEnd?: () => void
  /** Which part of the list `rows` are. Default: all of it. */
  place?: ListPlace
  /** Dims the rows while others load. */
  stale?: boolean
  /** Rows and columns mean a place, as in a spreadsheet: on a phone they stay, and scroll sideways. */
  isGrid?: boolean
}

const rowHeight = 36
/** Below this, all rows are in the page. */
const virtualFrom = 60

const narrow = matchMedia('(max-width: 719.9px)')
const onNarrow = (changed: () => void) => {
  narrow.addEventListener('change', changed)
  return () => narrow.removeEventListener('change', changed)
}

/**
 * A table whose rows have one height; on a phone each row is a card. A long one keeps only the rows in sight in the page,
 * and the one with focus.
 */
export function Table<Row>({
  label,
  columns,
  rows,
  rowKey,
  count,
  onEnd,
  place,
  stale = false,
  isGrid = false,
}: TableProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null)
  const focused = useRef(-1)
  const { offset = 0, total: places = rows.length, at } = place ?? {}
  const isVirtual = places >= virtualFrom
  const isPhone = useSyncExternalStore(onNarrow, () => narrow.matches)
  const isNarrow = isPhone && !isGrid
  // A card is as high as what is in it; until it is drawn it counts as one of single lines.
  const height = isNarrow ? 24 * columns.length + 16 : rowHeight
  const virtualizer = useVirtualizer({
    count: places,
    enabled: isVirtual,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    initialOffset: (at?.row ?? 0) * height,
    overscan: 6,
    // Rows are rendered in a task of their own, before the next picture or the one after it.
    useFlushSync: false,
    rangeExtractor: ({ startIndex, endIndex, overscan, count: total }) => {
      const [from, to] = [Math.max(0, startIndex - overscan), Math.min(total - 1, endIndex + overscan)]
      const range = Array.from({ length: Math.max(0, to - from + 1) }, (_, step) => from + step)
      if (to === total - 1) queueMicrotask(() => onEnd?.())
      const { current } = focused
      return current < 0 || current >= total || (current >= from && current <= to)
        ? range
        : [...range, current].sort((a, b) => a - b)
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was measured counts for that width alone
  useEffect(() => virtualizer.measure(), [isNarrow])
  // After the virtualizer, which scrolls to its own place when it gets the element.
  useLayoutEffect(() => {
    if (at && scroller.current) scroller.current.scrollTop = at.row * height
  }, [at, height])
  const rowAt = (y: number) =>
    isNarrow && isVirtual ? (virtualizer.getVirtualItemForOffset(y)?.index ?? 0) : y / height
  useItemKeys(scroller, isVirtual ? (index) => virtualizer.scrollToIndex(index) : undefined)
  const items = isVirtual
    ? virtualizer.getVirtualItems()
    : rows.map((_, index) => ({ index: offset + index, start: 0 }))
  const tracks = columns.map(({ width = 'minmax(96px, 1fr)' }) => width).join(' ')
  // What `min-content` would come to, without measuring the contents of each row.
  const least = (tracks.match(/\d+(?=px)/g) ?? []).reduce((sum, px) => sum + Number(px), 0)

  return (
    <div
      ref={scroller}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight } }) =>
        place?.onScroll(Math.round(rowAt(scrollTop)), Math.floor(rowAt(scrollTop + clientHeight)))
      }
      className={`overflow-auto ${isVirtual ? 'max-h-[72vh]' : 'wide:max-h-[72vh]'} rounded-surface border border-line bg-surface text-table`}
    >
      <div
        role="table"
        aria-label={label}
        aria-rowcount={(count ?? rows.length) + 1}
        style={{ gridTemplateColumns: tracks, minWidth: isNarrow ? undefined : least }}
        className={`w-full ${stale ? 'stale' : ''}`}
      >
        <div
          role="row"
          aria-rowindex={1}
          className={`sticky top-0 z-10 grid grid-cols-[inherit] border-b border-line bg-surface ${isNarrow ? 'sr-only' : ''}`}
        >
          {columns.map(({ title, align }) => (
            <div
              key={title}
              role="columnheader"
              className={`px-3 py-2 font-strong text-muted ${align === 'end' ? 'text-right' : ''}`}
            >
              {title}
            </div>
          ))}
        </div>
        <div
          role="rowgroup"
          className="relative grid-cols-[inherit]"
          style={isVirtual ? { height: virtualizer.getTotalSize() } : undefined}
          onFocus={({ target }) => {
            focused.current = Number(target.closest<HTMLElement>('[data-item]')?.dataset.item ?? -1)
          }}
          onBlur={() => {
            focused.current = -1
          }}
        >
          {items.map(({ index, start }) => {
            const row = rows[index - offset]
            if (row === undefined) return null
            return (
              <TableRow
                key={rowKey(row)}
                row={row}
                index={index}
                columns={columns}
                top={isVirtual ? start : undefined}
                measure={isVirtual && isNarrow ? virtualizer.measureElement : undefined}
                isNarrow={isNarrow}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

interface TableRowProps<Row> {
  row: Row
  index: number
  columns: readonly Column<Row>[]
  /** Where it lies in a long table. */
  top: number | undefined
  measure: ((element: HTMLElement | null) => void) | undefined
  isNarrow: boolean
}

/** Scrolling draws the rows that come, not those that are there. */
const TableRow = memo(<Row,>({ row, index, columns, top, measure, isNarrow }: TableRowProps<Row>) => (
  <div
    role="row"
    aria-rowindex={index + 2}
    data-item={index}
    ref={measure}
    data-index={index}
    style={top === undefined ? undefined : { top }}
    className={`${top === undefined ? 'relative' : 'absolute inset-x-0'} ${isNarrow ? card : line}`}
  >
    {columns.map(({ title, cell, align }, column) =>
      isNarrow ? (
        <div
          key={title}
          role="cell"
          className="flex min-w-0 items-baseline gap-2 first:font-strong has-[>[data-value]:empty]:hidden"
        >
          {column > 0 && (
            <span aria-hidden className="w-28 shrink-0 text-small text-muted">
              {title}
            </span>
          )}
          <div data-value className={`min-w-0 flex-1 ${column === 0 ? 'line-clamp-3' : ''}`}>
            {cell(row)}
          </div>
        </div>
      ) : (
        <div key={title} role="cell" className={`min-w-0 truncate px-3 ${align === 'end' ? 'text-right' : ''}`}>
          {cell(row)}
        </div>
      ),
    )}
  </div>
)) as <Row>(props: TableRowProps<Row>) => ReactNode

const eachRow = 'border-b border-line last:border-b-0 focus-within:bg-hover hover:bg-hover'
const card = `${eachRow} flex flex-col gap-1 px-3 py-2`
const line = `${eachRow} contain-strict grid h-9 grid-cols-[inherit] items-center`
