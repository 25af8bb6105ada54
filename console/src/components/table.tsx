import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
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
}

const rowHeight = 36
/** Below this, all rows are in the page. */
const virtualFrom = 60

/** A table whose rows have one height. A long one keeps only the rows in sight in the page, and the one with focus. */
export function Table<Row>({ label, columns, rows, rowKey, count, onEnd, place, stale = false }: TableProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null)
  const focused = useRef(-1)
  const { offset = 0, total: places = rows.length, at } = place ?? {}
  const isVirtual = places >= virtualFrom
  const virtualizer = useVirtualizer({
    count: places,
    enabled: isVirtual,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    initialOffset: (at?.row ?? 0) * rowHeight,
    overscan: 12,
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
  // After the virtualizer, which scrolls to its own place when it gets the element.
  useLayoutEffect(() => {
    if (at && scroller.current) scroller.current.scrollTop = at.row * rowHeight
  }, [at])
  useItemKeys(scroller, isVirtual ? (index) => virtualizer.scrollToIndex(index) : undefined)
  const indices = isVirtual
    ? virtualizer.getVirtualItems().map(({ index }) => index)
    : rows.map((_, index) => offset + index)
  const tracks = { gridTemplateColumns: columns.map(({ width = 'minmax(96px, 1fr)' }) => width).join(' ') }

  return (
    <div
      ref={scroller}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight } }) =>
        place?.onScroll(Math.round(scrollTop / rowHeight), Math.floor((scrollTop + clientHeight) / rowHeight))
      }
      className="max-h-[72vh] overflow-auto rounded-surface border border-line bg-surface text-table"
    >
      <div
        role="table"
        aria-label={label}
        aria-rowcount={(count ?? rows.length) + 1}
        className={`w-full min-w-fit ${stale ? 'stale' : ''}`}
      >
        <div
          role="row"
          aria-rowindex={1}
          style={tracks}
          className="sticky top-0 z-10 grid min-w-fit border-b border-line bg-surface"
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
          className="relative min-w-fit"
          style={isVirtual ? { height: virtualizer.getTotalSize() } : undefined}
          onFocus={({ target }) => {
            focused.current = Number(target.closest<HTMLElement>('[data-item]')?.dataset.item ?? -1)
          }}
          onBlur={() => {
            focused.current = -1
          }}
        >
          {indices.map((index) => {
            const row = rows[index - offset]
            if (row === undefined) return null
            return (
              <div
                key={rowKey(row)}
                role="row"
                aria-rowindex={index + 2}
                data-item={index}
                style={
                  isVirtual ? { ...tracks, position: 'absolute', top: index * rowHeight, left: 0, right: 0 } : tracks
                }
                className="relative grid h-9 min-w-fit items-center border-b border-line last:border-b-0 hover:bg-hover focus-within:bg-hover"
              >
                {columns.map(({ title, cell, align }) => (
                  <div
                    key={title}
                    role="cell"
                    className={`min-w-0 truncate px-3 ${align === 'end' ? 'text-right' : ''}`}
                  >
                    {cell(row)}
                  </div>
                ))}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}
