import { SafeText } from '../../components/safe-text.tsx'
import type { Hit } from './use-search.ts'

/** How the score came about: leg by leg, fused, reranked. */
export function ScoreTable({ hit, rerank }: { hit: Hit; rerank: string }) {
  const legs = hit.explain.filter(({ leg }) => leg !== 'rerank')
  const reranked = hit.explain.find(({ leg }) => leg === 'rerank')
  const sum = legs.reduce((total, { normalized, weight }) => total + normalized * weight, 0)
  return (
    <div tabIndex={0} className="overflow-x-auto">
      <ul aria-label="Reasons" className="mb-2 text-small">
        {hit.reasons.map((reason) => (
          <li key={reason}>
            <SafeText>{reason}</SafeText>
          </li>
        ))}
      </ul>
      <table aria-label="Score by leg" className="w-full min-w-[460px] text-table whitespace-nowrap">
        <thead>
          <tr className="text-left text-muted">
            {['Leg', 'Rank', 'Raw', 'Normalised', 'Weight', 'Share'].map((title) => (
              <th key={title} scope="col" className="py-1 pr-3">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {legs.map(({ leg, rank, score, normalized, weight }) => (
            <tr key={leg} className="border-t border-line">
              <th scope="row" className="py-1 pr-3 text-left font-normal">
                {leg}
              </th>
              <td>{rank}</td>
              <td>{score.toFixed(3)}</td>
              <td>{normalized.toFixed(3)}</td>
              <td>{weight.toFixed(2)}</td>
              <td>
                <Share part={sum === 0 ? 0 : (normalized * weight) / sum} />
              </td>
            </tr>
          ))}
          <Total name="Fused" value={reranked ? sum.toFixed(3) : hit.score.toFixed(3)} />
          <Total name="Reranked" value={reranked ? `${hit.score.toFixed(3)} by ${rerank}` : rerank} />
        </tbody>
      </table>
    </div>
  )
}

function Total({ name, value }: { name: string; value: string }) {
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-1 pr-3 text-left">
        {name}
      </th>
      <td colSpan={5}>{value}</td>
    </tr>
  )
}

function Share({ part }: { part: number }) {
  return (
    <span className="flex items-center gap-2">
      <span aria-hidden className="h-2 w-20 rounded-control bg-hover">
        <span className="block h-2 rounded-control bg-accent" style={{ width: `${part * 100}%` }} />
      </span>
      {Math.round(part * 100)} %
    </span>
  )
}
