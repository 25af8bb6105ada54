import { join } from 'node:path'
import { highlights } from '../adapters/index-embedded/analysis/find-passage.ts'
import { textAnalysis } from '../adapters/index-embedded/analysis/text-analysis.ts'
import { createEmbeddedIndex, type EmbeddedIndex } from '../adapters/index-embedded/embedded-index.ts'
import type { Config } from '../config.ts'
import type { Bindings } from '../domain/bindings/bindings.ts'
import { createSharedFeed } from '../domain/indexing/shared-feed.ts'
import type { Plane } from '../model/unit.ts'
import type { IndexSink } from '../ports/indexes/index-sink.ts'
import { systemRandom } from '../system.ts'
import { observedSink, observedTexts, observedVectors } from './observed.ts'

type Indexes = Pick<Bindings, 'vectors' | 'texts'>
type Deps = Pick<Bindings, 'catalog' | 'inference' | 'log' | 'telemetry'>

/** Both indexes, each from its configured engine. The embedded one serves only what no other engine serves. */
export async function indexesOf(
  config: Config,
  deps: Deps,
  overrides: Partial<Indexes>,
): Promise<Indexes & { close(): Promise<void> }> {
  const processId = systemRandom.id('process')
  const feed = (sink: IndexSink) => createSharedFeed(sink, deps.catalog.indexCursors, processId)
  const given = {
    vectors: overrides.vectors ?? (await pineconeOf(config, deps, feed)),
    texts: overrides.texts ?? (await meilisearchOf(config, deps, feed)),
  }
  if (given.vectors && given.texts) return { vectors: given.vectors, texts: given.texts, close: async () => {} }
  const embedded = embeddedOf(config, deps, given.vectors === null)
  return { vectors: given.vectors ?? embedded.vectors, texts: given.texts ?? embedded.texts, close: embedded.close }
}

function embeddedOf({ index, dataDir }: Config, { log }: Deps, keepsVectors: boolean): EmbeddedIndex {
  const { memoryMb, threads, snapshotAfterMs } = index
  return createEmbeddedIndex({
    // Separate directories: a snapshot without vectors must not count as complete when vectors are embedded again.
    directory: join(dataDir, keepsVectors ? 'index' : 'index-texts'),
    keepsVectors,
    threads,
    memoryBytes: memoryMb * 2 ** 20,
    quietMs: snapshotAfterMs,
    log,
  })
}

type Feed = (sink: IndexSink) => Indexes['vectors']['feed']

// SDKs are loaded only where they are needed: loading takes time and memory.

async function pineconeOf(
  { vectorIndex }: Config,
  { inference, telemetry }: Deps,
  feed: Feed,
): Promise<Indexes['vectors'] | null> {
  if (vectorIndex.kind === 'embedded') return null
  const { createPineconeIndex } = await import('../adapters/index-pinecone/pinecone-index.ts')
  const dims = (plane: Plane) => inference.model(plane).dims
  const { sink, ...index } = createPineconeIndex({ ...vectorIndex, dims, random: systemRandom })
  return { ...observedVectors(telemetry, index), feed: feed(observedSink(telemetry, 'pinecone', sink)) }
}

async function meilisearchOf(
  { textIndex }: Config,
  { telemetry, log }: Deps,
  feed: Feed,
): Promise<Indexes['texts'] | null> {
  if (textIndex.kind === 'embedded') return null
  const { createMeilisearchIndex } = await import('../adapters/index-meilisearch/meilisearch-index.ts')
  const now = () => performance.now()
  const { sink, ...index } = createMeilisearchIndex(textIndex, { analysis: textAnalysis, highlights, now, log })
  return { ...observedTexts(telemetry, index), feed: feed(observedSink(telemetry, 'meilisearch', sink)) }
}
