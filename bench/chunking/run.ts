/**
 * How to cut a text into chunks: recall, precision and IoU of the retrieved characters, on questions with the spans
 * that answer them, retrieved by the service's text index: `npm run bench:chunking`.
 */
import { mean } from '../../src/domain/evaluation/score-query.ts'
import { readArguments } from '../support/arguments.ts'
import { readCorpora } from './corpora.ts'
import { type Measured, openSearch } from './measure.ts'
import { strategies } from './strategies.ts'

readArguments({})
const corpora = readCorpora()
if (corpora.length === 0) console.error('skipped: the corpora are not beside the project')
else {
  const search = openSearch()
  const columns = ['recall@5', 'precision@5', 'IoU@5', 'recall@10', 'precision@10', 'IoU@10', 'nDCG@10']
  console.log(`| chunks, in tokens | number | ${columns.join(' | ')} |\n|---|${'---:|'.repeat(columns.length + 1)}`)
  for (const { name, split } of strategies) {
    const measured: Measured[] = []
    for (const corpus of corpora) measured.push(await search.measure(corpus, split(corpus.text)))
    const all = (of: (one: Measured) => number) => mean(measured.map(of))
    const scores = [
      ...(['at5', 'at10'] as const).flatMap((k) =>
        (['recall', 'precision', 'iou'] as const).map((score) => all((one) => one[k][score])),
      ),
      all(({ ndcg }) => ndcg),
    ]
    const count = measured.reduce((sum, { chunks }) => sum + chunks, 0)
    console.log(`| ${[name, count, ...scores.map((score) => score.toFixed(3).replace(/^0/, ''))].join(' | ')} |`)
  }
  await search.close()
}
