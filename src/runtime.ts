import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createFileAnchor } from './adapters/anchor-fs/file-anchor.ts'
import { openCatalog, type PrismaCatalog } from './adapters/catalog/catalog.ts'
import { createBearerTokens } from './adapters/identity/bearer-tokens.ts'
import { createConsoleSessions } from './adapters/identity/console-sessions.ts'
import { noSessions } from './adapters/identity/no-sessions.ts'
import { keptSecret } from './adapters/identity/secret.ts'
import { createSharedCounter } from './adapters/identity/shared-counter.ts'
import { highlights } from './adapters/index-embedded/analysis/highlights.ts'
import { textAnalysis } from './adapters/index-embedded/analysis/text-analysis.ts'
import { createEmbeddedIndex } from './adapters/index-embedded/embedded-index.ts'
import { createBuiltinInference } from './adapters/inference-builtin/builtin-inference.ts'
import { createMemoryKeyValue } from './adapters/kv/memory-key-value.ts'
import { createFileObjectStore } from './adapters/objects-fs/file-object-store.ts'
import { createStripePayments } from './adapters/payments-stripe/stripe-payments.ts'
import type { Config } from './config.ts'
import { createExtractiveWriter } from './domain/answer/extractive-writer.ts'
import type { AuditSettings, Bindings } from './domain/deps.ts'
import { createLexicalEntailment } from './domain/faithfulness/lexical-entailment.ts'
import { createSharedFeed } from './domain/indexing/shared-feed.ts'
import { createProximityReranker } from './domain/search/proximity-reranker.ts'
import { createDomain, type Domain } from './domain/services.ts'
import { type InferenceConfig, onlyEmbeddings } from './inference-config.ts'
import { createLog } from './log.ts'
import { privateKeyOf } from './model/signed-note.ts'
import type { Plane } from './model/unit.ts'
import type { AuditAnchor } from './ports/audit-anchor.ts'
import type { Catalog } from './ports/catalog.ts'
import type { KeyValue } from './ports/key-value.ts'
import type { Log } from './ports/log.ts'
import type { Models } from './ports/models.ts'
import type { ObjectStore } from './ports/object-store.ts'
import type { ConsoleSessions } from './ports/sessions.ts'
import type { TextIndex } from './ports/text-index.ts'
import type { VectorIndex } from './ports/vector-index.ts'
import { systemClock, systemRandom } from './system.ts'
import { version } from './version.ts'

export interface Runtime {
  config: Config
  bindings: Bindings
  domain: Domain
  /** Finishes background work and closes every binding. */
  dispose(): Promise<void>
}

/**
 * The only composition root: configuration -> adapters -> domain. Tests may put bindings of their own in place. An idle one
 * does nothing in the background.
 */
export async function createRuntime(
  config: Config,
  overrides: Partial<Bindings> = {},
  { idle = false }: { idle?: boolean } = {},
): Promise<Runtime> {
  const log = overrides.log ?? createLog(config.logLevel)
  const clock = overrides.clock ?? systemClock
  // First of all: what is wrong with a model shows before anything is opened.
  const { models, standIns, formerInference, close: closeModels } = await modelsOf(config)
  const catalog = overrides.catalog ?? (await openCatalog(config.catalog, log))
  const keyValue = overrides.keyValue ?? (await keyValueOf(config, log))
  const { memoryMb, threads, snapshotAfterMs } = config.index
  const keepsVectors = config.vectorIndex.kind === 'embedded'
  const index = createEmbeddedIndex({
    // Snapshots without vectors must not be taken for whole ones once vectors are embedded again.
    directory: join(config.dataDir, keepsVectors ? 'index' : 'index-texts'),
    keepsVectors,
    threads,
    memoryBytes: memoryMb * 2 ** 20,
    quietMs: snapshotAfterMs,
    log,
  })
  const bindings: Bindings = {
    vectors: overrides.vectors ?? (await vectorsOf(config, { ...models, ...overrides, catalog }, index.vectors)),
    texts: overrides.texts ?? (await textsOf(config, index.texts, catalog)),
    catalog,
    keyValue,
    clock,
    log,
    identity: createBearerTokens(catalog.access, keyValue, clock),
    sessions: await sessionsOf(config, catalog, keyValue, log),
    objects: overrides.objects ?? (await objectsOf(config)),
    anchor: overrides.anchor ?? (await anchorOf(config)),
    payments: createStripePayments(config.billing, log),
    ...models,
    standIns,
    formerInference,
    random: systemRandom,
    ...overrides,
  }
  const { brand, superAdminToken, openSeed, ingestWaitMs, maxSourceBytes, publicOrigin } = config
  const domain = createDomain(bindings, {
    version,
    brand,
    superAdminToken,
    openSeed,
    ingestWaitMs,
    maxSourceBytes,
    publicOrigin,
    inferenceTimeoutMs: config.inference.timeoutMs,
    audit: await auditOf(config),
    billing: config.billing,
  })
  if (!idle) domain.start()
  return {
    config,
    bindings,
    domain,
    dispose: async () => {
      if (!idle) await domain.stop()
      await bindings.sessions.close()
      await index.close()
      await closeModels()
      await keyValue.close()
      await catalog.close()
    },
  }
}

interface ConfiguredModels extends Pick<Bindings, 'standIns' | 'formerInference'> {
  models: Models
  close(): Promise<void>
}

/** The configured models; where another one writes or judges, the built-in one stands in while it fails. */
async function modelsOf({ inference: config }: Config): Promise<ConfiguredModels> {
  const builtin: Models = {
    inference: createBuiltinInference(),
    reranker: createProximityReranker(textAnalysis),
    writer: createExtractiveWriter(textAnalysis),
    entailment: createLexicalEntailment(textAnalysis),
  }
  const { answers, entailment, former } = config
  const { models, close } = await providersOf(config, builtin)
  const before = former && (await providersOf(onlyEmbeddings(config, former), builtin))
  return {
    models,
    standIns: {
      writer: answers.kind === 'builtin' ? null : builtin.writer,
      entailment: entailment.kind === 'builtin' ? null : builtin.entailment,
    },
    formerInference: [builtin.inference, ...(before ? [before.models.inference] : [])],
    close: async () => {
      await close()
      await before?.close()
    },
  }
}

async function providersOf(
  config: InferenceConfig,
  builtin: Models,
): Promise<{ models: Models; close(): Promise<void> }> {
  const { planes, rerank, answers, entailment } = config
  const kinds = new Set([...Object.values(planes), rerank, answers, entailment].map(({ kind }) => kind))
  const isLocal = kinds.delete('onnx')
  kinds.delete('builtin')
  const local = isLocal ? await localModels(config, builtin) : { models: builtin, close: async () => {} }
  if (kinds.size === 0) return local
  const { createRemoteInference } = await import('./adapters/inference-remote/remote-inference.ts')
  return { ...local, models: createRemoteInference(config, local.models, { random: systemRandom }) }
}

async function localModels(config: InferenceConfig, others: Models) {
  const { createOnnxModels } = await import('./adapters/inference-onnx/onnx-models.ts')
  return createOnnxModels(config, others)
}

async function vectorsOf(
  { vectorIndex }: Config,
  { catalog, inference }: Pick<Bindings, 'catalog' | 'inference'>,
  embedded: VectorIndex,
): Promise<VectorIndex> {
  if (vectorIndex.kind === 'embedded') return embedded
  // Only where it is needed: the SDK takes its time and memory.
  const { createPineconeIndex } = await import('./adapters/index-pinecone/pinecone-index.ts')
  const dims = (plane: Plane) => inference.model(plane).dims
  const { sink, ...index } = createPineconeIndex({ ...vectorIndex, dims, random: systemRandom })
  return { ...index, feed: createSharedFeed(sink, catalog.indexCursors, systemRandom.id('process')) }
}

/** The embedded index is there in any case, for vectors. */
async function textsOf(
  { textIndex: config }: Config,
  embedded: TextIndex,
  { indexCursors }: Catalog,
): Promise<TextIndex> {
  if (config.kind === 'embedded') return embedded
  const { createMeilisearchIndex } = await import('./adapters/index-meilisearch/meilisearch-index.ts')
  const { sink, ...index } = createMeilisearchIndex(config, {
    analysis: textAnalysis,
    highlights,
    now: () => performance.now(),
  })
  return { ...index, feed: createSharedFeed(sink, indexCursors, randomUUID()) }
}

/** Sign-in keeps its tables in the catalog's database, so it takes a catalog that has one. */
async function sessionsOf(
  config: Config,
  catalog: Catalog | PrismaCatalog,
  keyValue: KeyValue,
  log: Log,
): Promise<ConsoleSessions> {
  const { signIn, brand, allowedOrigins, dataDir } = config
  if (signIn.kind === 'off' || !('client' in catalog)) return noSessions
  const secret = signIn.secret ?? (await keptSecret(join(dataDir, 'secrets'), 'auth-secret'))
  const attempts = config.keyValue.kind === 'memory' ? null : createSharedCounter(keyValue, createMemoryKeyValue())
  return createConsoleSessions(catalog.client, { brand, secret, signIn, allowedOrigins, attempts, log })
}

async function keyValueOf({ keyValue, brand }: Config, log: Log): Promise<KeyValue> {
  if (keyValue.kind === 'memory') return createMemoryKeyValue()
  const { createRedisKeyValue } = await import('./adapters/kv/redis-key-value.ts')
  return createRedisKeyValue({ url: keyValue.url, prefix: `${brand}:` }, log)
}

async function objectsOf({ objects, dataDir }: Config): Promise<ObjectStore> {
  if (objects.kind === 'filesystem') return createFileObjectStore(join(dataDir, 'objects'))
  // Only where it is needed: Amazon's SDK takes 30 MB of memory.
  const { createS3ObjectStore } = await import('./adapters/s3/s3-object-store.ts')
  return createS3ObjectStore(objects)
}

async function anchorOf({ anchor, dataDir }: Config): Promise<AuditAnchor> {
  if (anchor.kind === 'directory') return createFileAnchor(anchor.path ?? join(dataDir, 'anchors'))
  const { createS3Anchor } = await import('./adapters/s3/s3-anchor.ts')
  return createS3Anchor(anchor)
}

async function auditOf({ audit, dataDir }: Config): Promise<AuditSettings> {
  const { reads, queries, signingSeeds, checkpointMs } = audit
  const secret = (name: string) => keptSecret(join(dataDir, 'secrets'), name)
  const seeds = signingSeeds ?? [Buffer.from(await secret('audit-signing-key'), 'base64url')]
  const [signer, ...replaced] = seeds.map(privateKeyOf)
  if (signer === undefined) throw new Error('there is no key to sign audit logs with')
  const settings = { reads, signingKeys: [signer, ...replaced], checkpointMs } as const
  if (reads === 'off') return { ...settings, queries: { kind: 'none' } }
  if (queries.kind !== 'hash') return { ...settings, queries }
  return { ...settings, queries: { kind: 'hash', secret: queries.secret ?? (await secret('audit-query-key')) } }
}
