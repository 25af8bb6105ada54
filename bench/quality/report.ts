import { bootstrap, type Interval } from '../../src/domain/evaluation/evaluate.ts'
import { mean } from '../../src/domain/evaluation/score-query.ts'
import { recallDepth } from './deep.ts'
import { type Leg, legs, type Scores } from './legs.ts'

/** The measurements of one collection. */
export interface Measured {
  name: string
  documents: number
  queries: number
  scores: Record<Leg, Scores>
}

/** Markdown tables: the result of each leg, its difference from the word leg, and the gain from reranking. */
export function report(measured: readonly Measured[]): string {
  const rows = measured.map((one) => ({ label: labelOf(one), of: [one] }))
  if (measured.length > 1) rows.push({ label: 'mean', of: [...measured] })
  const others = legs.filter((leg) => leg !== 'word leg')
  return [
    `nDCG@10 [95 % interval] / recall@${recallDepth}`,
    '',
    table(
      ['collection', ...legs],
      rows.map(({ label, of }) => [label, ...legs.map((leg) => reached(of, leg))]),
    ),
    '',
    'nDCG@10 less that of the word leg [95 % interval, paired]; ▲ and ▼: significantly above and below',
    '',
    table(
      ['collection', ...others],
      rows.map(({ label, of }) => [label, ...others.map((leg) => difference(of, leg, 'word leg'))]),
    ),
    '',
    'nDCG@10 of `rerank` less that of `fused`, which it reranks',
    '',
    table(
      ['collection', 'rerank'],
      rows.map(({ label, of }) => [label, difference(of, 'rerank', 'fused')]),
    ),
  ].join('\n')
}

const labelOf = ({ name, documents, queries }: Measured) =>
  `${name} (${documents.toLocaleString('en')} documents, ${queries.toLocaleString('en')} queries)`

function reached(of: readonly Measured[], leg: Leg): string {
  const gains = of.map(({ scores }) => scores[leg].ndcg)
  const found = mean(of.map(({ scores }) => mean(scores[leg].recall)))
  return `${short(meanOfMeans(gains))} ${range(bootstrap(gains))} / ${short(found)}`
}

function difference(of: readonly Measured[], leg: Leg, base: Leg): string {
  const gains = of.map(({ scores }) => scores[leg].ndcg.map((gain, query) => gain - (scores[base].ndcg[query] ?? 0)))
  const interval = bootstrap(gains)
  const mark = interval.high < 0 ? ' ▼' : interval.low > 0 ? ' ▲' : ''
  return `${signed(meanOfMeans(gains))} ${range(interval, signed)}${mark}`
}

const meanOfMeans = (collections: readonly number[][]) => mean(collections.map(mean))

/** Three decimals without the leading zero, as in the literature. */
const short = (value: number) => value.toFixed(3).replace(/^(-?)0\./, '$1.')
const signed = (value: number) => (value < 0 ? short(value) : `+${short(value)}`)
const range = ({ low, high }: Interval, format = short) => `[${format(low)}, ${format(high)}]`

function table(headers: readonly string[], rows: readonly string[][]): string {
  const cells = [headers, headers.map(() => '---'), ...rows]
  return cells.map((row) => `| ${row.join(' | ')} |`).join('\n')
}
