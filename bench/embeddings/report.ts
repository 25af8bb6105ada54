import { bootstrap, type Interval } from '../../src/domain/evaluation/evaluate.ts'
import { mean } from '../../src/domain/evaluation/score-query.ts'
import type { Leg, Scores } from './legs.ts'

export interface Measured {
  name: string
  scores: Partial<Record<Leg, Scores>>
}

/** Markdown tables: what each leg reaches, and how far the fusion is above or below each leg alone. */
export function report(title: string, legs: readonly Leg[], measured: readonly Measured[]): string {
  const rows = measured.map((one) => ({ label: one.name, of: [one] }))
  if (measured.length > 1) rows.push({ label: 'mean', of: [...measured] })
  const alone = legs.filter((leg) => leg === 'text' || leg === 'vectors')
  const lines = [
    `${title}: nDCG@10 [95 % interval] / recall@100`,
    '',
    table(
      ['collection', ...legs],
      rows.map(({ label, of }) => [label, ...legs.map((leg) => reached(of, leg))]),
    ),
  ]
  if (alone.length === 0) return `${lines.join('\n')}\n`
  const above = table(
    ['collection', ...alone.map((leg) => `fused less ${leg}`), 'reranked less fused'],
    rows.map(({ label, of }) => [
      label,
      ...alone.map((leg) => difference(of, 'fused', leg)),
      difference(of, 'reranked', 'fused'),
    ]),
  )
  return [...lines, '', 'nDCG@10, paired [95 % interval]; ▲ and ▼: significantly above and below', '', above, ''].join(
    '\n',
  )
}

const gainsOf = (of: readonly Measured[], leg: Leg) => of.map(({ scores }) => scores[leg]?.ndcg ?? [])

function reached(of: readonly Measured[], leg: Leg): string {
  const gains = gainsOf(of, leg)
  const found = mean(of.map(({ scores }) => mean(scores[leg]?.recall ?? [])))
  return `${short(mean(gains.map(mean)))} ${range(bootstrap(gains))} / ${short(found)}`
}

function difference(of: readonly Measured[], leg: Leg, base: Leg): string {
  const bases = gainsOf(of, base)
  const gains = gainsOf(of, leg).map((values, i) => values.map((gain, query) => gain - (bases[i]?.[query] ?? 0)))
  const interval = bootstrap(gains)
  const mark = interval.high < 0 ? ' ▼' : interval.low > 0 ? ' ▲' : ''
  return `${signed(mean(gains.map(mean)))} ${range(interval, signed)}${mark}`
}

/** Three decimals without the leading zero, as in the literature. */
const short = (value: number) => value.toFixed(3).replace(/^(-?)0\./, '$1.')
const signed = (value: number) => (value < 0 ? short(value) : `+${short(value)}`)
const range = ({ low, high }: Interval, format = short) => `[${format(low)}, ${format(high)}]`

function table(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headers, headers.map(() => '---'), ...rows]
  return cells.map((row) => `| ${row.join(' | ')} |`).join('\n')
}
