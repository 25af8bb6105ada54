import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { PageLink } from '../../components/page-link.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { modalityText } from '../../components/words.ts'
import { useItemKeys } from '../../shell/item-keys.ts'
import type { ViewUnitFragment } from './generated/graphql.ts'
import { placeText } from './places.ts'

export interface UnitListProps {
  units: readonly ViewUnitFragment[]
  chosen: ViewUnitFragment
  count: number
  onEnd(): void
}

const itemHeight = 76

/** The readable Units of the document. Only those in sight are in the page, and the one with focus. */
export function UnitList({ units, chosen, count }: UnitListProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const focused = useRef(-1)
  const virtualizer = useVirtualizer({
    count: units.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => itemHeight,
    initialRect: { width: 400, height: 600 },
    rangeExtractor: ({ startIndex, endIndex, count: total }) => {
      const [from, to] = [Math.max(0, startIndex - 6), Math.min(total - 1, endIndex + 6)]
      const range = Array.from({ length: Math.max(0, to - from + 1) }, (_, step) => from + step)
      const { current } = focused
      return current < 0 || current >= total || (current >= from && current <= to) ? range : [...range, current]
    },
  })
  useItemKeys(scroller, (index) => virtualizer.scrollToIndex(index))
  const place = units.findIndex(({ unitId }) => unitId === chosen.unitId)
  useEffect(() => {
    if (place >= 0) virtualizer.scrollToIndex(place, { align: 'auto' })
  }, [place, virtualizer])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only remembers which item has the focus
    <div
      ref={scroller}
      className="max-h-[80vh] overflow-y-auto rounded-surface border border-line bg-surface"
      onFocus={({ target }) => {
        focused.current = Number(target.closest<HTMLElement>('[data-item]')?.dataset.item ?? -1)
      }}
      onBlur={() => {
        focused.current = -1
      }}
    >
      <ul aria-label="Units" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const unit = units[index]
          if (unit === undefined) return null
          const isChosen = unit.unitId === chosen.unitId
          return (
            <li
              key={unit.unitId}
              data-item={index}
              aria-setsize={count}
              aria-posinset={index + 1}
              className={`absolute inset-x-0 overflow-hidden border-b border-line px-3 py-2 hover:bg-hover ${isChosen ? 'bg-hover shadow-[inset_3px_0_var(--accent)]' : ''}`}
              style={{ top: start, height: itemHeight }}
            >
              <p className="flex gap-2 text-small text-muted">
                <span title={unit.modality}>{modalityText(unit.modality)}</span>
                <span>{placeText(unit)}</span>
                <span>version {unit.version}</span>
              </p>
              <PageLink
                to="/view"
                search={{ unit: unit.unitId }}
                aria-current={isChosen ? 'true' : undefined}
                className="line-clamp-2 text-ink no-underline"
              >
                <SafeText>{(unit.text || unit.title || unit.externalId || unit.unitId).slice(0, 240)}</SafeText>
              </PageLink>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
