import { PageLink } from '../../components/page-link.tsx'
import { planesText, planeText } from '../../components/words.ts'
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
      {degraded.length > 0 && <p className="text-warn">Not everything answered: {failuresOf(degraded)}.</p>}
    </>
  )
}

const legs: Record<string, string> = { vector: 'by meaning', text: 'by words', rerank: 'reranking' }

/** Parts as the service names them, `vector:audio` say, each kind once with its planes. */
function failuresOf(degraded: readonly string[]): string {
  const parts = degraded.map((name) => name.split(':'))
  return [...new Set(parts.map(([kind = '']) => kind))]
    .map((kind) => {
      const planes = parts.flatMap(([one, plane = '']) => (one === kind && plane !== '' ? planeText(plane) : []))
      return [legs[kind] ?? kind, planes.join(', ')].filter((words) => words !== '').join(' in ')
    })
    .join('; ')
}

const Plans = () => (
  <PageLink to="/usage" className="underline">
    See plans
  </PageLink>
)
