import { openCatalog, type PrismaCatalog } from './adapters/catalog/catalog.ts'
import type { Snapshots } from './adapters/catalog/connection/pglite/snapshots.ts'
import type { EmbeddedPostgres } from './adapters/catalog/connection/pglite/start.ts'
import { createBearerTokens } from './adapters/identity/bearer-tokens.ts'
import { createStripePayments } from './adapters/payments-stripe/stripe-payments.ts'
import type { Config } from './config.ts'
import type { Bindings } from './domain/bindings/bindings.ts'
import { createDomain, type Domain } from './domain/services.ts'
import { createLog } from './log.ts'
import type { BackupHold } from './model/backup.ts'
import { noTelemetry } from './model/telemetry.ts'
import type { Catalog } from './ports/catalog.ts'
import { systemClock, systemRandom } from './system.ts'
import { version } from './version.ts'
import { anchorOf, auditOf } from './wiring/audit.ts'
import { createDeletionGate, holdData } from './wiring/hold.ts'
import { indexesOf } from './wiring/indexes.ts'
import { readManifests } from './wiring/manifests.ts'
import { modelsOf } from './wiring/models.ts'
import { objectsOf } from './wiring/objects.ts'
import { observedKeyValue, observedPayments } from './wiring/observed.ts'
import { createParserPool } from './wiring/parsing/parser-pool.ts'
import { keyValueOf, requestCounterOf, sessionsOf } from './wiring/stores.ts'

export interface Runtime {
  config: Config
  bindings: Bindings
  domain: Domain
  /** Texts of persisted GraphQL documents by the hex of their SHA-256. */
  manifest: ReadonlyMap<string, string>
  /**
   * Called once the port is open: background work that waits for it begins. `url` is where links lead that are not answers to a
   * request, if there is no PUBLIC_URL.
   */
  listensAt(url: string): void
  /** What a backup asks of the embedded catalog; null for one on a server. */
  snapshots: Snapshots | null
  /** Holds the data so that their files can be copied; null for a catalog on a server. */
  holdData: (() => Promise<BackupHold>) | null
  /** Finishes background work and closes every binding. */
  dispose(): Promise<void>
}

export interface RuntimeOptions {
  /** When it begins what it does in the background. Default: at once. */
  background?: 'at once' | 'when it listens' | 'never'
  /** The embedded database, where it is opening already. */
  embedded?: Promise<EmbeddedPostgres> | undefined
}

/**
 * The composition root of the service: configuration -> adapters -> domain. Tests may replace bindings.
 * `wiring/transfer.ts` has its own, which opens less.
 */
export async function createRuntime(
  config: Config,
  overrides: Partial<Bindings> = {},
  { background = 'at once', embedded }: RuntimeOptions = {},
): Promise<Runtime> {
  const log = overrides.log ?? createLog(config.logLevel)
  const clock = overrides.clock ?? systemClock
  const telemetry = overrides.telemetry ?? noTelemetry
  // These come first: their problems are reported before anything is opened.
  const manifest = await readManifests(config.graphql.manifests)
  const { models, missing, close: closeModels, ...otherModels } = await modelsOf(config, telemetry, log)
  if (missing !== null) log.warn({}, `searches find words, not meaning: ${missing}`)
  const catalog: Catalog | PrismaCatalog =
    overrides.catalog ?? (await openCatalog(config.catalog, log, telemetry, embedded))
  const snapshots = ('client' in catalog && (catalog as PrismaCatalog).snapshots) || null
  const keyValue = overrides.keyValue ?? observedKeyValue(telemetry, await keyValueOf(config, log))
  const { close: closeIndexes, ...indexes } = await indexesOf(
    config,
    { ...models, ...overrides, catalog, log, telemetry },
    overrides,
  )
  let listened = 'http://localhost'
  const deletions = createDeletionGate(overrides.objects ?? (await objectsOf(config, telemetry)))
  const bindings: Bindings = {
    ...indexes,
    catalog,
    keyValue,
    requestCounter: requestCounterOf(config, catalog, keyValue),
    clock,
    log,
    telemetry,
    identity: createBearerTokens(catalog.access, keyValue, clock),
    sessions: await sessionsOf(config, catalog, keyValue, { log, telemetry }, () => listened),
    parser: createParserPool(config.parsing),
    anchor: overrides.anchor ?? (await anchorOf(config, telemetry)),
    payments: observedPayments(telemetry, createStripePayments(config.billing, log)),
    ...models,
    ...otherModels,
    random: systemRandom,
    ...overrides,
    objects: deletions.store,
  }
  const { brand, superAdminToken, openSeed, ingestWaitMs, afterSeqWaitMs, maxSourceBytes, publicOrigin } = config
  const domain = createDomain(bindings, {
    version,
    brand,
    superAdminToken,
    openSeed,
    ingestWaitMs,
    writeWaitMs: config.writeWaitMs,
    afterSeqWaitMs,
    requestLimits: config.requestLimits,
    maxSourceBytes,
    parseWorkers: config.parsing.workers,
    publicOrigin,
    inferenceTimeoutMs: config.inference.timeoutMs,
    vectorWeights: config.inference.vectorWeights,
    audit: await auditOf(config),
    billing: config.billing,
    sweeping: config.sweeping,
  })
  if (background === 'at once') domain.start()
  return {
    config,
    bindings,
    domain,
    manifest,
    listensAt: (url) => {
      listened = url
      if (background === 'when it listens') domain.start()
    },
    snapshots,
    holdData: snapshots ? () => holdData(snapshots, deletions) : null,
    dispose: async () => {
      if (background !== 'never') await domain.stop()
      await bindings.sessions.close()
      await closeIndexes()
      await closeModels()
      await bindings.parser.close()
      await keyValue.close()
      await catalog.close()
    },
  }
}
