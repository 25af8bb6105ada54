/** How well the built-in entailment judge separates supported sentences from others: `npm run bench:faithfulness`. */
import { textAnalysis } from '../../src/adapters/index-embedded/analysis/text-analysis.ts'
import { createLexicalEntailment } from '../../src/domain/faithfulness/lexical-entailment.ts'
import { readArguments } from '../support/arguments.ts'
import { calibrationError, type Prediction, reliability, reliabilityHeaders } from '../support/reliability.ts'
import { printMarkdown } from '../support/table.ts'
import { auc, aucGain } from './auc.ts'
import { pairCollections, readPairs } from './pairs.ts'
import { rouge } from './rouge.ts'

readArguments({})
const judge = createLexicalEntailment(textAnalysis)
const digits = (value: number) => value.toFixed(3).replace(/^(-?)0\./, '$1.')
const range = ({ low, high }: { low: number; high: number }) => `[${digits(low)}, ${digits(high)}]`

const predictions: Prediction[] = []
const rows: string[][] = []
for (const name of pairCollections) {
  const collection = readPairs(name)
  if (!collection) {
    console.error(`${name}: skipped, it is not beside the project`)
    continue
  }
  const { pairs, supported } = collection
  const baselines = Object.values(rouge).map((score) => pairs.map(score))
  const started = performance.now()
  const scores = await judge.score(pairs)
  const perPair = (performance.now() - started) / pairs.length
  const bar = baselines.toSorted((a, b) => auc(b, supported) - auc(a, supported))[0] ?? []
  // Every collection counts the same.
  predictions.push(...scores.map((score, i) => ({ score, is: supported[i] === true, weight: 1 / pairs.length })))
  const passes = (wanted: boolean) => {
    const of = scores.filter((_, i) => supported[i] === wanted)
    return `${((100 * of.filter((score) => score >= judge.threshold).length) / of.length).toFixed(1)} %`
  }
  rows.push([
    `${name} (${pairs.length.toLocaleString('en')} pairs, ${supported.filter(Boolean).length.toLocaleString('en')} supported)`,
    ...baselines.map((baseline) => digits(auc(baseline, supported))),
    `${digits(auc(scores, supported))} ${range(aucGain(scores, null, supported))}`,
    range(aucGain(scores, bar, supported)),
    passes(false),
    passes(true),
    perPair.toFixed(2),
  ])
}
if (rows.length > 0) {
  const headers = [
    'AUC',
    ...Object.keys(rouge),
    'lexical',
    'less the best ROUGE',
    `unsupported that pass at ${judge.threshold}`,
    'recall of supported',
    'ms a pair',
  ]
  printMarkdown(headers, rows)
  console.log(`\nReliability, the collections together (calibration error ${digits(calibrationError(predictions))})\n`)
  printMarkdown(reliabilityHeaders, reliability(predictions))
}
