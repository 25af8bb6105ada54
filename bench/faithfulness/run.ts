/** How well the built-in judge of entailment tells supported sentences from others: `npm run bench:faithfulness`. */
import { textAnalysis } from '../../src/adapters/index-embedded/analysis/text-analysis.ts'
import { createLexicalEntailment } from '../../src/domain/faithfulness/lexical-entailment.ts'
import { auc, aucGain } from './auc.ts'
import { pairCollections, readPairs } from './pairs.ts'
import { rouge } from './rouge.ts'

const judge = createLexicalEntailment(textAnalysis)
const digits = (value: number) => value.toFixed(3).replace(/^(-?)0\./, '$1.')
const range = ({ low, high }: { low: number; high: number }) => `[${digits(low)}, ${digits(high)}]`

const rows: string[][] = []
for (const name of pairCollections) {
  const collection = readPairs(name)
  if (!collection) {
    console.error(`${name}: skipped, it is not beside the project`)
    continue
  }
  const { pairs, supported } = collection
  const baselines = Object.values(rouge).map((score) => pairs.map(score))
  const [, bar = []] = baselines
  const started = performance.now()
  const scores = await judge.score(pairs)
  const perPair = (performance.now() - started) / pairs.length
  const passed = supported.filter((_, i) => (scores[i] ?? 0) >= judge.threshold)
  rows.push([
    `${name} (${pairs.length.toLocaleString('en')} pairs, ${supported.filter(Boolean).length.toLocaleString('en')} supported)`,
    ...baselines.map((baseline) => digits(auc(baseline, supported))),
    `${digits(auc(scores, supported))} ${range(aucGain(scores, null, supported))}`,
    range(aucGain(scores, bar, supported)),
    `${digits(passed.filter(Boolean).length / passed.length)} / ${digits(passed.filter(Boolean).length / supported.filter(Boolean).length)}`,
    perPair.toFixed(2),
  ])
}
if (rows.length > 0) {
  const headers = [
    'AUC',
    ...Object.keys(rouge),
    'lexical',
    'less ROUGE-2 p',
    `precision / recall at ${judge.threshold}`,
    'ms a pair',
  ]
  console.log([headers, headers.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n'))
}
