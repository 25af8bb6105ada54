import { Degraded } from '../../components/degraded.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { planesText } from '../../components/words.ts'
import type { SearchSide } from './use-search.ts'

/** What a search has left out: planes that are not included, reranking, parts that failed. */
export function LeftOut({ params, result }: Pick<SearchSide, 'params' | 'result'>) {
  if (result === null) return null
  const { clampedPlanes, rerank, degraded } = result.trace
  const planes = planesText(clampedPlanes)
  // Without a choice of planes only the tier narrows a search that is wide open: not worth a line at each search.
  const arePlanesAsked = params.list('planes').length > 0
  const isRerankOut = params.get('rerank') === '1' && rerank.includes('not part of the tier')
  return (
    <>
      {arePlanesAsked && planes !== '' && (
        <p className="text-warn">
          Not searched: {planes}. The tier, the scope or the key does not include this. <Plans />
        </p>
      )}
      {isRerankOut && (
        <p className="text-warn">
          Not reranked: the tier does not include this. <Plans />
        </p>
      )}
      <Degraded parts={degraded} />
    </>
  )
}

const Plans = () => (
  <PageLink to="/usage" className="underline">
    See plans
  </PageLink>
)
