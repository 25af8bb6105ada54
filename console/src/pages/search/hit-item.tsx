import { memo, useMemo } from 'react'
import { Button } from '../../components/button.tsx'
import { Menu } from '../../components/menu.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { ReadersChip } from '../../components/readers/readers-chip.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { planeColours, planeText } from '../../components/words.ts'
import { Highlighted } from './highlighted.tsx'
import { firstLineOf, placeOf, titleOf } from './hit-words.ts'
import { RankMove } from './rank-move.tsx'
import { ScoreTable } from './score-table.tsx'
import { Thumbnail } from './thumbnail.tsx'
import type { Hit } from './use-search.ts'

export interface HitItemProps {
  hit: Hit
  index: number
  /** Whether its score is unfolded. */
  isOpen: boolean
  onToggle(unitId: string): void
  /** What the search can be copied as. */
  copies: 'nothing' | 'GraphQL' | 'both'
  onCopy(form: 'curl' | 'GraphQL'): void
  /** Keeps it as a golden query; absent for who may not. */
  onKeep: ((unitId: string) => void) | undefined
  /** What the search says about its reranking. */
  rerank: string
  /** Whether another search stands beside this one. */
  isCompared: boolean
  otherRank: number | null | undefined
}

/** One hit. Another one that is unfolded, or a search that is under way, does not render it again. */
export const HitItem = memo(({ hit, index, isCompared, otherRank, rerank, ...props }: HitItemProps) => {
  const { isOpen, onToggle, copies, onCopy, onKeep } = props
  const place = placeOf(hit.locator)
  const of = useMemo(
    () => ({ title: titleOf(hit), unitId: hit.unitId, scopes: [hit.scope], readers: hit.readers }),
    [hit],
  )
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
              <span className="shrink-0 text-muted">{hit.rank}</span>
              <PageLink to="/view" search={{ unit: hit.unitId }} className="min-w-0 font-strong">
                <SafeText>{titleOf(hit)}</SafeText>
              </PageLink>
            </span>
            <span className={`text-small ${planeColours[hit.plane]}`}>{planeText(hit.plane)}</span>
            {place !== null && <span className="text-small text-muted">{place}</span>}
            <SafeText className="text-small text-muted">{hit.scope}</SafeText>
            <ReadersChip of={of} />
            {isCompared && <RankMove rank={hit.rank} otherRank={otherRank} />}
            <span className="ml-auto text-muted">{hit.score.toFixed(3)}</span>
          </div>
          {hit.title && <SafeText className="text-small text-muted">{hit.title}</SafeText>}
          {hit.text && <Highlighted text={hit.text} highlights={hit.highlights} firstLine={firstLineOf(hit)} />}
          {hit.group && hit.group.hits.length > 1 && (
            <ul
              aria-label="More of this document"
              className="flex flex-col gap-1 border-l-2 border-line pl-3 text-small"
            >
              {hit.group.hits.slice(1).map(({ unitId, snippet }) => (
                <li key={unitId} className="min-w-0 truncate">
                  <PageLink to="/view" search={{ unit: unitId }}>
                    <SafeText>{snippet?.text ?? unitId}</SafeText>
                  </PageLink>
                </li>
              ))}
            </ul>
          )}
          <div className="-ml-2.5 flex flex-wrap items-center gap-2">
            <Button look="quiet" className="text-small" aria-expanded={isOpen} onClick={() => onToggle(hit.unitId)}>
              Why this hit
            </Button>
            {copies !== 'nothing' && (
              <Menu
                label="Copy as"
                className="border-transparent text-small"
                items={(copies === 'both' ? bothForms : graphqlAlone).map((name) => ({
                  name,
                  onSelect: () => onCopy(name),
                }))}
              />
            )}
            {onKeep && (
              <Button look="quiet" className="text-small" onClick={() => onKeep(hit.unitId)}>
                Keep as golden query
              </Button>
            )}
          </div>
        </div>
        <Thumbnail hit={hit} />
      </div>
      {isOpen && <ScoreTable hit={hit} rerank={rerank} />}
    </li>
  )
})

const bothForms = ['curl', 'GraphQL'] as const
const graphqlAlone = ['GraphQL'] as const
