import { Button } from '../../components/button.tsx'
import { copy } from '../../components/clipboard.ts'
import { Menu } from '../../components/menu.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { curlOf, graphqlOf } from './copy-as.ts'
import { Highlighted } from './highlighted.tsx'
import { firstLineOf, placeOf, planeColours, planeNames, titleOf } from './hit-words.ts'
import { RankMove } from './rank-move.tsx'
import { ScoreTable } from './score-table.tsx'
import { Thumbnail } from './thumbnail.tsx'
import type { Hit, SearchSide } from './use-search.ts'

export interface HitItemProps {
  hit: Hit
  index: number
  side: SearchSide
  /** Whether another search stands beside this one. */
  isCompared: boolean
  otherRank: number | null | undefined
}

export function HitItem({ hit, index, side, isCompared, otherRank }: HitItemProps) {
  const { params, set, input, where, as, result } = side
  const isOpen = params.get('open') === hit.unitId
  const place = placeOf(hit.locator)
  return (
    <li
      data-item={index}
      data-unit={hit.unitId}
      className="rounded-surface border border-line bg-surface px-4 py-3 focus-within:border-accent"
    >
      <div className="flex gap-4">
        <div className="flex min-w-0 flex-1 flex-col gap-2">
          <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
            <span className="flex min-w-0 gap-3">
              <span className="text-muted">{hit.rank}</span>
              <PageLink to="/view" search={{ unit: hit.unitId }} className="min-w-0 font-strong">
                <SafeText>{titleOf(hit)}</SafeText>
              </PageLink>
            </span>
            <span className={`text-small ${planeColours[hit.plane]}`}>{planeNames[hit.plane]}</span>
            {place !== null && <span className="text-small text-muted">{place}</span>}
            <SafeText className="text-small text-muted">{hit.scope}</SafeText>
            {isCompared && <RankMove rank={hit.rank} otherRank={otherRank} />}
            <span className="ml-auto text-muted">{hit.score.toFixed(3)}</span>
          </div>
          {hit.title && <SafeText className="text-small text-muted">{hit.title}</SafeText>}
          {hit.text && <Highlighted text={hit.text} highlights={hit.highlights} firstLine={firstLineOf(hit)} />}
          <div className="-ml-2.5 flex flex-wrap items-center gap-2">
            <Button
              look="quiet"
              className="text-small"
              aria-expanded={isOpen}
              onClick={() => set({ open: isOpen ? undefined : hit.unitId }, { replace: true })}
            >
              Why this hit
            </Button>
            {input !== null && (
              <Menu
                label="Copy as"
                className="border-transparent text-small"
                items={[
                  // REST has no view as another principal.
                  ...(as === undefined
                    ? [{ name: 'curl', onSelect: () => void copy(curlOf(input, where), 'curl') }]
                    : []),
                  { name: 'GraphQL', onSelect: () => void copy(graphqlOf(input, as), 'GraphQL') },
                ]}
              />
            )}
          </div>
        </div>
        <Thumbnail hit={hit} />
      </div>
      {isOpen && <ScoreTable hit={hit} rerank={result?.trace.rerank ?? ''} />}
    </li>
  )
}
