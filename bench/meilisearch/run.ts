/**
 * The ranking quality of the Meilisearch text index on the public collections of bench/quality, next to BM25 over
 * stemmed words. Also the traffic of a search, and the agreement with the embedded index's ranking:
 * `node bench/meilisearch/run.ts [collection…]`. It uses the tests' local server, or the server at TEST_MEILI_URL (with
 * TEST_MEILI_KEY), in a separate index. Times are the mean of whole searches, one at a time.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createEmbeddedIndex } from '../../src/adapters/index-embedded/embedded-index.ts'
import { mean, ndcg, recall } from '../../src/domain/evaluation/score-query.ts'
import type { IndexedUnit } from '../../src/ports/indexes/index-filter.ts'
import { meilisearchToTest, openIndex } from '../../test/support/meilisearch/to-test.ts'
import { type Collection, collectionNames, readCollection } from '../quality/collections.ts'
import { wordLeg } from '../quality/word-leg.ts'
import { readArguments } from '../support/arguments.ts'
import { benchDir } from '../support/leave-nothing.ts'
import { kendallTau, overlapAt10 } from './agreement.ts'
import { countRequests } from './requests.ts'

const depth = 100
const { positionals: wanted } = readArguments({ allowPositionals: true })
const sent = countRequests()
const log = { info: () => {}, warn: () => {}, error: () => {} }
const folder = benchDir('meilisearch')
const embedded = createEmbeddedIndex({ directory: folder.path, threads: 1, memoryBytes: 2 ** 30, quietMs: 60_000, log })
await using meilisearch = await meilisearchToTest()
const { search, sink } = openIndex({ ...meilisearch.config, pauseMs: 100 })

/** On a busy machine a search of the local server may time out, so it is retried. */
async function patientSearch(...asked: Parameters<typeof search>): Promise<string[]> {
  for (let tries = 1; ; tries++) {
    const before = { ...sent }
    try {
      return (await search(...asked)).map(({ unitId }) => unitId)
    } catch (error) {
      if (tries === 20) throw error
      Object.assign(sent, before)
      await sleep(200)
    }
  }
}

async function fill({ name, plane, documents }: Collection): Promise<void> {
  const acl = { owner: 'bench', groups: ['*'] }
  const puts = documents.map(
    ({ id, text }, i): IndexedUnit => ({
      ...{
        unitId: id,
        seq: i + 1,
        plane,
        scopeId: 'all',
        acl,
        modality: 'text',
        text,
        title: null,
        language: null,
        vector: null,
      },
      ...{
        docId: null,
        externalId: null,
        sourceUri: null,
        mime: null,
        locator: null,
        metadata: {},
        createdAt: 0,
        updatedAt: 0,
      },
    }),
  )
  const attempt = { signal: AbortSignal.timeout(600_000), again: false, unsettled: () => {} }
  await sink.write(name, { puts, removals: [] }, attempt)
  const changes = puts.map((unit) => ({ kind: 'put' as const, unit }))
  await embedded.texts.feed.apply(name, changes, changes.length)
}

async function measure(collection: Collection): Promise<string> {
  const { name, plane, documents, queries } = collection
  const words = wordLeg(documents)
  const clauses = [{ reader: 'unlimited' as const, scopeIds: new Map([[plane, ['all']]]) }]
  const filter = { namespaceId: name, clauses, filters: [] }
  const times: number[] = []
  const [scores, agreed] = [
    { words: [] as number[], meilisearch: [] as number[], found: [] as number[] },
    { overlap: [] as number[], tau: [] as number[] },
  ]
  Object.assign(sent, { requests: 0, queries: 0 })
  for (const { text, relevant } of queries) {
    const started = performance.now()
    const ranked = await patientSearch({ text, topK: depth }, filter, depth)
    times.push(performance.now() - started)
    const others = (await embedded.texts.search({ text, topK: depth }, filter, depth)).map(({ unitId }) => unitId)
    scores.meilisearch.push(ndcg(ranked, relevant, 10))
    scores.found.push(recall(ranked, relevant, depth))
    scores.words.push(ndcg(words(text), relevant, 10))
    agreed.overlap.push(overlapAt10(ranked, others))
    agreed.tau.push(...[kendallTau(ranked, others) ?? []].flat())
  }
  const qualities = [scores.words, scores.meilisearch, scores.found].map((list) => mean(list).toFixed(3))
  const agreements = [agreed.overlap, agreed.tau].map((list) => mean(list).toFixed(2))
  const costs = [sent.requests, sent.queries].map((count) => (count / queries.length).toFixed(1))
  return `| ${[name, ...qualities, ...agreements, ...costs, `${mean(times).toFixed(0)} ms`].join(' | ')} |`
}

const columns = [
  ...['collection', 'BM25 of words, nDCG@10', 'Meilisearch, nDCG@10', 'recall@100'],
  ...['overlap@10 with the embedded index', "Kendall's tau", 'requests a search', 'queries a search', 'a search'],
]
console.log(`| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}`)
for (const name of collectionNames.filter((name) => wanted.length === 0 || wanted.includes(name))) {
  const collection = readCollection(name, false)
  if (!collection) continue
  await fill(collection)
  console.log(await measure(collection))
}
await embedded.close()
folder.remove()
