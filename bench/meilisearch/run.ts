/**
 * How well the Meilisearch text index ranks, on the public collections of bench/quality, beside BM25 over stemmed words:
 * `node bench/meilisearch/run.ts [collection…]`. Over the local server of the tests, or over the one at TEST_MEILI_URL
 * (with TEST_MEILI_KEY), in an index of its own. Times are the mean of whole searches, one at a time.
 */
import { mean, ndcg, recall } from '../../src/domain/evaluation/metrics.ts'
import { meilisearchToTest, openIndex } from '../../test/support/meilisearch/to-test.ts'
import { type Collection, collectionNames, readCollection } from '../quality/collections.ts'
import { wordLeg } from '../quality/word-leg.ts'

const wanted = process.argv.slice(2)
await using meilisearch = await meilisearchToTest()
const { search, sink } = openIndex(meilisearch.config)

async function fill({ name, plane, documents }: Collection): Promise<void> {
  const acl = { owner: 'bench', groups: ['*'] }
  const puts = documents.map(({ id, text }, i) => ({
    ...{ unitId: id, seq: i + 1, plane, scopeId: 'all', acl, modality: 'text' as const, text, vector: null },
    ...{ docId: null, externalId: null, sourceUri: null, mime: null, locator: null, metadata: {}, createdAt: 0 },
  }))
  await sink.write(name, { puts, removals: [] }, AbortSignal.timeout(600_000))
}

async function measure(collection: Collection): Promise<string> {
  const { name, plane, documents, queries } = collection
  const words = wordLeg(documents)
  const times: number[] = []
  const gains = { words: [] as number[], meilisearch: [] as number[], found: [] as number[] }
  for (const { text, relevant } of queries) {
    const started = performance.now()
    const filter = {
      namespaceId: name,
      scopeIds: new Map([[plane, ['all']]]),
      reader: 'unlimited' as const,
      filters: {},
    }
    const ranked = (await search({ text, topK: 100 }, filter, 100)).map(({ unitId }) => unitId)
    times.push(performance.now() - started)
    gains.meilisearch.push(ndcg(ranked, relevant, 10))
    gains.found.push(recall(ranked, relevant, 100))
    gains.words.push(ndcg(words(text), relevant, 10))
  }
  const figures = [gains.words, gains.meilisearch, gains.found].map((list) => mean(list).toFixed(3))
  return `| ${[name, ...figures, `${mean(times).toFixed(0)} ms`].join(' | ')} |`
}

console.log(
  '| collection | BM25 of words, nDCG@10 | Meilisearch, nDCG@10 | recall@100 | a search |\n|---|---|---|---|---|',
)
for (const name of collectionNames.filter((name) => wanted.length === 0 || wanted.includes(name))) {
  const collection = readCollection(name, false)
  if (!collection) continue
  await fill(collection)
  console.log(await measure(collection))
}
