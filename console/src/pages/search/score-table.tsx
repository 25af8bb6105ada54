import { SafeText } from '../../components/safe-text.tsx'
import { planeText } from '../../components/words.ts'
import type { Hit } from './use-search.ts'

/** How the score came about: leg by leg, fused, reranked. */
export function ScoreTable({ hit, rerank }: { hit: Hit; rerank: string }) {
  const legs = hit.explain.filter(({ leg }) => leg !== 'rerank')
  const reranked = hit.explain.find(({ leg }) => leg === 'rerank')
  const hasModel = !hit.reasons.some(isWithoutModel)
  const sum = legs.reduce((total, { normalized, weight }) => total + normalized * weight, 0)
  return (
    <div className="mt-2 flex flex-col gap-2 border-t border-line pt-3">
      <ul aria-label="Reasons">
        {hit.reasons.map((reason) => (
          <li key={reason}>
            <SafeText>{reason}</SafeText>
          </li>
        ))}
      </ul>
      {sum > 0 && <Shares legs={legs} sum={sum} hasModel={hasModel} />}
      <div tabIndex={0} className="overflow-x-auto max-narrow:-mx-2">
        <table aria-label="Score by leg" className="w-full text-small whitespace-nowrap narrow:text-table">
          <thead>
            <tr className="text-left text-muted">
              {['Leg', 'Rank', 'Raw', 'Normalised', 'Weight', 'Share'].map((title, at) => (
                <th key={title} scope="col" className={at === 0 ? 'py-1' : 'py-1 pl-1.5 text-right narrow:pl-3'}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {legs.map(({ leg, rank, score, normalized, weight }) => (
              <tr key={leg} className="border-t border-line">
                <th scope="row" title={leg} className="py-1 text-left font-normal break-words whitespace-normal">
                  {legName(leg, hasModel)}
                </th>
                {[
                  rank,
                  score.toFixed(3),
                  normalized.toFixed(3),
                  weight.toFixed(2),
                  percent(normalized * weight, sum),
                ].map((figure, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: one of each column
                  <td key={at} className="pl-1.5 text-right narrow:pl-3">
                    {figure}
                  </td>
                ))}
              </tr>
            ))}
            <Total name="Fused" value={reranked ? sum.toFixed(3) : hit.score.toFixed(3)} />
            <Total name="Reranked" value={reranked ? `${hit.score.toFixed(3)} by ${rerank}` : rerank} />
          </tbody>
        </table>
      </div>
    </div>
  )
}

function Total({ name, value }: { name: string; value: string }) {
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-1 text-left narrow:pr-3">
        {name}
      </th>
      <td colSpan={5} className="text-right">
        {value}
      </td>
    </tr>
  )
}

type Leg = Hit['explain'][number]

/** Without a model, a vector only says which letters are alike. */
const isWithoutModel = (reason: string) =>
  reason === 'found by similar spelling' || reason.startsWith('meaning not used')

/** What a leg compares, in words. */
function legName(leg: string, hasModel: boolean): string {
  const [kind, plane] = leg.split(':')
  if (kind === 'image') return 'Picture'
  if (kind !== 'vector') return 'Words'
  return `${hasModel ? 'Meaning' : 'Spelling'}${plane === 'text' ? '' : ` (${planeText(plane ?? '').toLowerCase()})`}`
}

const colours = ['bg-accent', 'bg-plane-visual', 'bg-plane-audio', 'bg-plane-doc-visual', 'bg-control'] as const
const colourOf = (index: number) => colours[Math.min(index, colours.length - 1)]

/** How much of the fused score each leg gave: a bar, and the same in words. */
function Shares({ legs, sum, hasModel }: { legs: readonly Leg[]; sum: number; hasModel: boolean }) {
  return (
    <div className="flex flex-col gap-1">
      <div aria-hidden className="flex h-2.5 gap-0.5 overflow-hidden rounded-control">
        {legs.map(({ leg, normalized, weight }, index) => (
          <span key={leg} className={colourOf(index)} style={{ width: `${((normalized * weight) / sum) * 100}%` }} />
        ))}
      </div>
      <ul aria-label="Shares" className="flex flex-wrap gap-x-4 text-small">
        {legs.map(({ leg, normalized, weight }, index) => (
          <li key={leg} className="flex items-center gap-1.5">
            <span aria-hidden className={`size-2.5 rounded-control ${colourOf(index)}`} />
            {legName(leg, hasModel)} {percent(normalized * weight, sum)}
          </li>
        ))}
      </ul>
    </div>
  )
}

const percent = (part: number, whole: number) => `${whole === 0 ? 0 : Math.round((part / whole) * 100)} %`
