import { PageLink } from '../../components/page-link.tsx'
import { modalityText } from '../../components/words.ts'
import type { ViewUnitFragment } from './generated/graphql.ts'
import { placeText, type SourceProps } from './places.ts'

/** The boxes of Units over a page or picture. Each opens its Unit. */
export function Boxes({ units, chosen, page }: SourceProps & { page?: number }) {
  return units.map((unit) => {
    const { locator } = unit
    if (locator?.__typename !== 'BoundingBox' || (page !== undefined && locator.page !== page)) return null
    const isChosen = unit.unitId === chosen.unitId
    const [left, top, width, height] = [locator.x, locator.y, locator.w, locator.h].map((share) => `${share * 100}%`)
    return (
      <div key={unit.unitId} className="absolute" style={{ left, top, width, height }}>
        <PageLink
          to="/view"
          search={{ unit: unit.unitId }}
          aria-current={isChosen ? 'true' : undefined}
          className={`block size-full rounded-control ${isChosen ? `border-2 border-[#2450c8] ${locator.w * locator.h < 0.5 ? 'bg-[#2450c8]/10' : ''}` : 'border border-[#8a5200]/60 hover:bg-[#8a5200]/10'}`}
        >
          <span className="sr-only">
            {modalityText(unit.modality)}, {placeText(unit)}: {nameOf(unit)}
          </span>
        </PageLink>
      </div>
    )
  })
}

const nameOf = ({ text, title, unitId }: ViewUnitFragment) => (text || title || unitId).slice(0, 80)
