import { memo, useCallback, useRef } from 'react'
import { Empty } from '../../components/empty.tsx'
import { NothingIn } from '../../components/nothing-in.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Problem } from '../../components/problem.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useSession } from '../../session/session.tsx'
import { useItemKeys } from '../../shell/item-keys.ts'
import { copySearch } from './copy-as.ts'
import { Facets } from './facets.tsx'
import { HitItem } from './hit-item.tsx'
import { useHitKeys } from './hit-keys.ts'
import { LeftOut } from './left-out.tsx'
import { Pages } from './pages.tsx'
import { SearchBox } from './search-box.tsx'
import { Understood } from './understood.tsx'
import { useIsEmpty } from './use-facets.ts'
import { type Hit, type SearchSide, useOpenHit } from './use-search.ts'

export interface SideProps {
  side: SearchSide
  /** After each name: empty, ` A` or ` B`. */
  suffix: string
  /** The hits of the other side, to show moves in rank. */
  other?: readonly Hit[] | undefined
}

/** A search box, its filters and its hits. */
export const Side = memo(({ side, suffix, other }: SideProps) => {
  const { input, result, error, isFetching, isStale, refetch } = side
  const list = useRef<HTMLUListElement>(null)
  useItemKeys(list)
  const { open, toggle } = useOpenHit(side.params.prefix)
  const keepGolden = useHitKeys(list, side, toggle)
  const { context } = useSession()
  const mayKeep = context?.perms.includes('admin') && !context.principal.readOnly
  const latest = useRef(side)
  latest.current = side
  const copyAs = useCallback((form: 'curl' | 'GraphQL') => copySearch(latest.current, form), [])
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <SearchBox side={side} suffix={suffix} />
      <div
        className={
          suffix === ''
            ? 'grid gap-2 wide:grid-cols-[200px_minmax(0,1fr)] wide:gap-6'
            : 'grid gap-2 pair:grid-cols-[144px_minmax(0,1fr)] pair:gap-4'
        }
      >
        <Facets
          params={side.filters}
          set={side.set}
          where={side.where}
          as={side.as}
          hits={result?.hits}
          suffix={suffix}
        />
        <div className="flex min-w-0 flex-col gap-3">
          <p role="status" aria-label={`Result count${suffix}`} className="min-h-5 text-muted">
            {result && counted(result.hits.length, result.hiddenByAcl)}
          </p>
          {result && <Understood query={result.trace.query} />}
          <LeftOut params={side.params} result={result} />
          {error && <Problem error={error} onRetry={refetch} />}
          {input !== null && !result && !error && <Skeleton rows={5} height={96} />}
          {(input === null || result?.hits.length === 0) && <NoHits side={side} />}
          <ul
            ref={list}
            aria-label={`Results${suffix}`}
            className={`flex flex-col gap-2 ${isFetching && isStale ? 'stale' : ''}`}
          >
            {result?.hits.map((hit, index) => (
              <HitItem
                key={hit.unitId}
                hit={hit}
                index={index}
                isOpen={hit.unitId === open}
                onToggle={toggle}
                // REST has no view as another principal.
                copies={input === null ? 'nothing' : side.as === undefined ? 'both' : 'GraphQL'}
                onCopy={copyAs}
                onKeep={mayKeep && input?.q && side.as === undefined ? keepGolden : undefined}
                rerank={result.trace.rerank}
                isCompared={suffix !== ''}
                otherRank={rankIn(other, hit)}
              />
            ))}
          </ul>
          <Pages side={side} suffix={suffix} />
        </div>
      </div>
    </div>
  )
})

function NoHits({ side: { input, where, as } }: { side: SearchSide }) {
  const isEmpty = useIsEmpty(where, as === undefined)
  if (isEmpty)
    return (
      <NothingIn
        upload={
          <PageLink
            to="/documents"
            search={{ upload: '1' }}
            className="control inline-flex items-center border-accent bg-accent text-on-accent no-underline"
          >
            Upload files
          </PageLink>
        }
      />
    )
  if (input === null) return <Empty>Type a question or some words. Filters alone work too.</Empty>
  return (
    <Empty action={<PageLink to="/documents">See what there is</PageLink>}>
      Nothing fits. Use other words, remove a filter, or choose another scope.
    </Empty>
  )
}

const counted = (results: number, hidden: number) =>
  `${results} ${results === 1 ? 'result' : 'results'}${hidden > 0 ? `, ${hidden} more ${hidden === 1 ? 'is' : 'are'} not open to you` : ''}`

/** Its rank on the other side; null if it is not there, undefined without another side. */
function rankIn(other: readonly Hit[] | undefined, { unitId }: Hit): number | null | undefined {
  return other && (other.find((hit) => hit.unitId === unitId)?.rank ?? null)
}
