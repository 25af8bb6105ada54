import { resolve } from 'node:path'
import { keepCompiled } from './compiled.ts'
import { type Config, readConfig, unreadSettings } from './config.ts'
import { requireLimits } from './limits.ts'
import { noTelemetry } from './model/telemetry.ts'
import type { Runtime, RuntimeOptions } from './runtime.ts'
import { describeInference } from './settings/inference-config.ts'
import { createStop } from './stop.ts'
import { version } from './version.ts'
import type { Metrics } from './wiring/metrics/metrics.ts'
import type { Traces } from './wiring/traces/traces.ts'
import { keepYoungSmall } from './young-generation.ts'

/** Reads the settings, serves, and drains on SIGTERM or SIGINT. */
export async function serve(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const config = readConfig(env)
  const { maxConnections } = requireLimits()
  const letYoungGrow = keepYoungSmall()
  const { catalog } = config
  if (catalog.kind === 'pglite') await makeCatalog(catalog)
  keepCompiled(env, config.dataDir)
  const embedded = await startDatabase(config)
  // Loaded only now: help and configuration errors need no database driver.
  const { createApp } = await import('./app.ts')
  const { bufferBytes } = await import('./http/buffers.ts')
  const { startServer } = await import('./http/server.ts')
  const { createRuntime } = await import('./runtime.ts')
  const traces = await startTracesOf(config)
  const metrics = await createMetricsOf(config)
  const inner = metrics?.telemetry ?? noTelemetry
  const opened = await createRuntime(
    config,
    { telemetry: traces?.telemetry(inner) ?? inner },
    // Its first statements would delay those that are needed to listen.
    { background: 'when it listens', ...embedded },
  )
  const dispose = () => opened.dispose().finally(traces?.shutdown)
  const runtime = { ...opened, dispose }
  for (const { name, meant } of unreadSettings(env)) {
    runtime.bindings.log.warn({ name, meant }, 'this environment variable is not a known setting')
  }
  const metricsUrl = await openMetrics(runtime, metrics).catch(async (error) => {
    await runtime.dispose()
    throw error
  })
  const describe = await bootBlock(runtime, metricsUrl)
  const app = createApp(runtime)
  const server = await startServer(app.handler, {
    host: config.host,
    port: config.port,
    log: runtime.bindings.log,
    meter: metrics?.requests,
    tracer: traces?.requests,
    maxConnections,
    bufferBytes: bufferBytes(config.httpBufferBytes),
  }).catch(async (error) => {
    await runtime.dispose()
    throw error
  })
  runtime.listensAt(server.url)
  const control = await openControl(runtime)
  const stop = createStop({ app, server, runtime, control, exit: (code) => process.exit(code) })
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  letYoungGrow()
  console.log(describe(server.url))
}

/** Before the process begins again, which gives back all that this takes: part of it stays when its thread ends. */
async function makeCatalog(catalog: { dataDir: string }): Promise<void> {
  const { createCatalog } = await import('./adapters/catalog/connection/pglite/start.ts')
  await createCatalog(catalog)
}

/** The embedded database opens in its own thread, while this one loads the modules of the service. */
async function startDatabase({ catalog }: Config): Promise<Pick<RuntimeOptions, 'embedded'>> {
  if (catalog.kind !== 'pglite') return {}
  const { startPglite } = await import('./adapters/catalog/connection/pglite/start.ts')
  const embedded = startPglite(catalog)
  // The runtime waits for it, and then reports its error.
  embedded.catch(() => {})
  return { embedded }
}

/** Through it a backup asks a running service; only data in files need it. */
async function openControl({ config, bindings, holdData }: Runtime) {
  if (holdData === null) return null
  const { startControlServer } = await import('./wiring/backup/control-server.ts')
  return startControlServer(config.dataDir, holdData, bindings.log)
}

/** Loaded only where it is turned on. */
async function createMetricsOf({ metrics }: Config): Promise<Metrics | null> {
  if (metrics.kind === 'off') return null
  const { createMetrics } = await import('./wiring/metrics/metrics.ts')
  return createMetrics()
}

/** Loaded only where they are sent somewhere. */
async function startTracesOf({ traces }: Config): Promise<Traces | null> {
  if (traces.kind === 'off') return null
  const { startTraces } = await import('./wiring/traces/traces.ts')
  return startTraces(traces)
}

/** Its address, or null where it is turned off. */
async function openMetrics({ config: { metrics }, domain }: Runtime, made: Metrics | null): Promise<string | null> {
  if (metrics.kind === 'off' || made === null) return null
  const { startMetricsServer } = await import('./wiring/metrics/metrics-server.ts')
  return (await startMetricsServer(made.registry, metrics, () => made.refresh(domain.load))).url
}

/** What an operator wants to know at startup; all of it is read before the port opens. */
async function bootBlock(
  { config, domain, bindings }: Runtime,
  metrics: string | null,
): Promise<(url: string) => string> {
  const seeded = await bindings.catalog.access.hasPrincipals()
  const { bindings: engines } = await domain.health()
  const lines = (url: string) => [
    ['address', `${url}  (GraphQL${config.graphql.documents === 'any' ? ' with GraphiQL' : ''}: ${url}/graphql)`],
    ...(metrics === null ? [] : [['metrics', metrics]]),
    ['data', resolve(config.dataDir)],
    // The catalog was read just above, so it is available, however slow the machine is.
    ['catalog', bindings.catalog.engine],
    ['index', `${engines.vectorIndex[0]} vectors, ${bindings.texts.engine} text`],
    ['objects', engines.objectStore],
    ['key-value', engines.keyValue],
    ['inference', describeInference(config.inference)],
    ['sign-in', describeSignIn(config.signIn)],
    ['payments', bindings.payments.configured ? 'Stripe' : 'off'],
    ['to begin', seeded ? 'seeded already; an admin may seed again' : `curl -X POST ${url}/v1/admin/seed`],
  ]
  return (url) =>
    [`multimodal-retrieval ${version}`, ...lines(url).map(([name, value]) => `  ${name?.padEnd(10)} ${value}`)].join(
      '\n',
    )
}

function describeSignIn(signIn: Config['signIn']): string {
  if (signIn.kind === 'off') return 'off: with DATABASE_URL it needs AUTH_SECRET'
  const { signUp } = signIn
  if (signUp === 'open') return 'open to anyone'
  return signUp === 'closed' ? 'for those who have an account' : `open to ${signUp.domains.join(', ')}`
}
