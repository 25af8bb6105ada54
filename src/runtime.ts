import { openCatalog } from './adapters/catalog/catalog.ts'
import { createBearerTokens } from './adapters/identity/bearer-tokens.ts'
import { createStripePayments } from './adapters/payments-stripe/stripe-payments.ts'
import type { Config } from './config.ts'
import type { Bindings } from './domain/bindings/bindings.ts'
import { createDomain, type Domain } from './domain/services.ts'
import { createLog } from './log.ts'
import { systemClock, systemRandom } from './system.ts'
import { version } from './version.ts'
import { anchorOf, auditOf } from './wiring/audit.ts'
import { indexesOf } from './wiring/indexes.ts'
import { modelsOf } from './wiring/models.ts'
import { createParserPool } from './wiring/parsing/parser-pool.ts'
import { keyValueOf, objectsOf, sessionsOf } from './wiring/stores.ts'
import { createTextThreads } from './wiring/text-threads/text-threads.ts'

export interface Runtime {
  config: Config
  bindings: Bindings
  domain: Domain
  /** Finishes background work and closes every binding. */
  dispose(): Promise<void>
}

/**
 * The only composition root: configuration -> adapters -> domain. Tests may replace bindings. An idle runtime does
 * nothing in the background.
 */
export async function createRuntime(
  config: Config,
  overrides: Partial<Bindings> = {},
  { idle = false }: { idle?: boolean } = {},
): Promise<Runtime> {
  const log = overrides.log ?? createLog(config.logLevel)
  const clock = overrides.clock ?? systemClock
  const textThreads = createTextThreads()
  // Comes first: a problem with a model is reported before anything is opened.
  const { models, fallbacks, formerInference, close: closeModels } = await modelsOf(config, textThreads.embed)
  const catalog = overrides.catalog ?? (await openCatalog(config.catalog, log))
  const keyValue = overrides.keyValue ?? (await keyValueOf(config, log))
  const { close: closeIndexes, ...indexes } = await indexesOf(
    config,
    { ...models, ...overrides, catalog, log },
    overrides,
  )
  const bindings: Bindings = {
    ...indexes,
    passages: textThreads.passages,
    catalog,
    keyValue,
    clock,
    log,
    identity: createBearerTokens(catalog.access, keyValue, clock),
    sessions: await sessionsOf(config, catalog, keyValue, log),
    objects: overrides.objects ?? (await objectsOf(config)),
    parser: createParserPool(config.parsing),
    anchor: overrides.anchor ?? (await anchorOf(config)),
    payments: createStripePayments(config.billing, log),
    ...models,
    fallbacks,
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
    parseWorkers: config.parsing.workers,
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
      await closeIndexes()
      await closeModels()
      await textThreads.close()
      await bindings.parser.close()
      await keyValue.close()
      await catalog.close()
    },
  }
}
