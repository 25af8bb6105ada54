/**
 * Whether long Units are favoured or punished: `npm run bench:long-units -- [collection…]`. Documents of the public
 * collections are joined to Units of mixed length, and searched in the embedded text index, in process.
 */
import { TextScratch } from '../../src/adapters/index-embedded/search/rank-text.ts'
import { searchText } from '../../src/adapters/index-embedded/search/search.ts'
import { VisibleCache } from '../../src/adapters/index-embedded/shard/visible.ts'
import { mean, ndcg } from '../../src/domain/evaluation/score-query.ts'
import { filterFor, indexedUnit } from '../../test/contract/index-fixtures.ts'
import { shardOf } from '../../test/support/index/shards.ts'
import { collectionNames, everyNth, readCollection } from '../quality/collections.ts'
import { wordLeg } from '../quality/word-leg.ts'
import { readArguments } from '../support/arguments.ts'
import { printMarkdown } from '../support/table.ts'
import { type Joined, joinDocuments } from './join-documents.ts'

const { positionals: wanted } = readArguments({ allowPositionals: true })
const maxQueries = 300

/** Ranks by the text index of the service. */
function textLeg({ documents }: Joined): (query: string) => string[] {
  const shard = shardOf(documents.map(({ id, text }, i) => indexedUnit(id, i + 1, { text: text || ' ', vector: null })))
  const scratch = { thread: 0, text: new TextScratch(), visible: new VisibleCache() }
  return (text) => searchText(shard, { text, topK: 10 }, filterFor(), 10, scratch).found(null).unitIds.split('\n')
}

/** nDCG@10 of all queries, and of those whose answers are all in long Units, or all in short ones. */
function measure({ queries, long }: Joined, rank: (query: string) => string[]): string[] {
  const scores = queries.map(({ text, relevant }) => {
    const inLong = [...relevant].filter((id) => long.has(id)).length
    return { ndcg: ndcg(rank(text), relevant, 10), share: inLong / relevant.size }
  })
  const short = (values: typeof scores) => (values.length < 10 ? '' : mean(values.map(({ ndcg }) => ndcg)).toFixed(3))
  return [
    short(scores),
    short(scores.filter(({ share }) => share === 1)),
    short(scores.filter(({ share }) => share === 0)),
  ]
}

const rows: string[][] = []
for (const name of collectionNames) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const collection = readCollection(name, true)
  if (!collection) {
    console.error(`${name}: skipped, it is not beside the project`)
    continue
  }
  const joined = joinDocuments({ ...collection, queries: everyNth(collection.queries, maxQueries) })
  const counts = [joined.documents.length, joined.long.size, joined.queries.length].map(String)
  rows.push([name, ...counts, ...measure(joined, wordLeg(joined.documents)), ...measure(joined, textLeg(joined))])
}
if (rows.length > 0) {
  const of = ['all', 'in long', 'in short']
  const headers = [
    'collection',
    'Units',
    'long',
    'queries',
    ...of.map((part) => `BM25: ${part}`),
    ...of.map((part) => `text: ${part}`),
  ]
  console.log('nDCG@10\n')
  printMarkdown(headers, rows)
}
