import module from 'node:module'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { divideOpenFiles, openFilesLimit, requireOpenFiles } from './adapters/catalog/connection/pglite/open-files.ts'
import type { Metrics } from './adapters/metrics-prometheus/metrics.ts'
import { makeFolder } from './adapters/resilience/folders.ts'
import type { Traces } from './adapters/traces-opentelemetry/traces.ts'
import type { App } from './app.ts'
import type { Command } from './cli/program/command.ts'
import { nextSteps } from './cli/serve/next-steps.ts'
import { environmentOf } from './cli/serve/options.ts'
import { type Config, readConfig, unreadSettings } from './config.ts'
import type { RunningServer } from './http/server.ts'
import { giveBackIdleMemory } from './idle-memory.ts'
import { OperatorError } from './model/operator-error.ts'
import { noTelemetry } from './model/telemetry.ts'
import type { Runtime, RuntimeOptions } from './runtime.ts'
import { describeInference } from './settings/inference-config.ts'
import { version } from './version.ts'

export const command: Command = {
  run: async (args, env) => {
    await serve(environmentOf(args, env)).catch((error: unknown) => {
      console.error(startFailure(error))
      process.exit(1)
    })
    return undefined
  },
  codeOf: () => 1,
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the settings, serves, and drains on SIGTERM or SIGINT. */
async function serve(env: Environment): Promise<void> {
  const config = readConfig(env)
  const { maxConnections } = requireLimits()
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
  const describe = await bootBlock(runtime, metricsUrl, env)
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
  const stop = createStop(app, server, runtime, control)
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  giveBackIdleMemory()
  console.log(describe(server.url))
}

/**
 * Keeps modules compiled in the data directory, those of threads as well, so that the next start is faster. Without access to
 * the directory nothing is kept. NODE_COMPILE_CACHE names another one.
 */
function keepCompiled(env: Environment, dataDir: string): void {
  if (env.NODE_COMPILE_CACHE !== undefined) return
  const folder = join(dataDir, 'compiled')
  try {
    makeFolder(folder)
  } catch {
    // What needs the data directory says what is wrong with it.
    return
  }
  // Node 20 has none.
  module.enableCompileCache?.(folder)
  // Threads inherit it.
  process.env.NODE_COMPILE_CACHE = folder
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

/** Through it commands of the operator use a running service; only data in files need it. */
async function openControl({ config, bindings, domain, holdData }: Runtime) {
  if (holdData === null) return null
  const { startControlServer } = await import('./adapters/backup-fs/control-socket.ts')
  const { operate } = await import('./wiring/operate.ts')
  return startControlServer(
    config.dataDir,
    { hold: holdData, operate: (request) => operate(domain, request) },
    bindings.log,
  )
}

/** Loaded only where it is turned on. */
async function createMetricsOf({ metrics }: Config): Promise<Metrics | null> {
  if (metrics.kind === 'off') return null
  const { createMetrics } = await import('./adapters/metrics-prometheus/metrics.ts')
  return createMetrics()
}

/** Loaded only where they are sent somewhere. */
async function startTracesOf({ traces }: Config): Promise<Traces | null> {
  if (traces.kind === 'off') return null
  const { startTraces } = await import('./adapters/traces-opentelemetry/traces.ts')
  return startTraces(traces)
}

/** Its address, or null where it is turned off. */
async function openMetrics({ config, domain }: Runtime, metrics: Metrics | null): Promise<string | null> {
  if (config.metrics.kind === 'off' || metrics === null) return null
  const { startMetricsServer } = await import('./http/metrics-server.ts')
  return (await startMetricsServer(metrics.registry, config.metrics, () => metrics.refresh(domain.load))).url
}

/** What an operator wants to know at startup, and what to do next; all of it is read before the port opens. */
async function bootBlock(
  { config, domain, bindings }: Runtime,
  metrics: string | null,
  env: Environment,
): Promise<(url: string) => string> {
  const begins = config.openSeed && !(await bindings.catalog.access.hasPrincipals())
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
    ...(config.console ? [['console', `${config.publicOrigin ?? url}  (${firstKey(config.signIn)})`]] : []),
    [
      'to begin',
      begins ? `curl -X POST ${url}/v1/admin/seed` : 'the demo data are there, or an admin of demo seeds them',
    ],
  ]
  return (url) =>
    [
      `multimodal-retrieval ${version}`,
      ...lines(url).map(([name, value]) => `  ${name?.padEnd(10)} ${value}`),
      ...(begins ? nextSteps(url, env) : []),
    ].join('\n')
}

function firstKey(signIn: Config['signIn']): string {
  if (signIn.kind === 'off') return 'enter a key'
  return signIn.signUp === 'open' ? 'sign up, then create a key' : 'sign in, then create a key'
}

function describeSignIn(signIn: Config['signIn']): string {
  if (signIn.kind === 'off') return 'off: with DATABASE_URL it needs AUTH_SECRET'
  const { signUp } = signIn
  if (signUp === 'open') return 'open to anyone'
  return signUp === 'closed' ? 'for those who have an account' : `open to ${signUp.domains.join(', ')}`
}

/** How long the process may take, after its last answer, to write out its state. */
const maxStopMs = 20_000

/**
 * Handles a stop signal. First the process only announces that it leaves. It continues to serve for DRAIN_MS, so that a
 * load balancer sees it in /readyz in time. Then it accepts nothing new, finishes running work, and exits with 0. A
 * second signal skips the drain.
 */
function createStop(
  app: App,
  server: RunningServer,
  runtime: Runtime,
  control: { close(): Promise<void> } | null,
): () => Promise<void> {
  const { config, bindings } = runtime
  const skipDrain = new AbortController()
  let stopping = false
  return async () => {
    if (stopping) return skipDrain.abort()
    stopping = true
    app.leave()
    server.leave()
    await sleep(config.drainMs, undefined, { signal: skipDrain.signal }).catch(() => {})
    // They end by themselves only when their documents are done.
    runtime.domain.endWatches()
    await server.close()
    setTimeout(() => {
      bindings.log.error({}, 'the shutdown timed out and was aborted')
      process.exit(1)
    }, maxStopMs).unref()
    try {
      await control?.close()
      await runtime.dispose()
    } catch (err) {
      bindings.log.error({ err }, 'the shutdown failed')
      return process.exit(1)
    }
    process.exit(0)
  }
}

/** MB. With less for old objects V8 ends the process at its start, or under load. */
const minOldSpace = 128

/**
 * Throws a sentence for an operator, if this process may open too few files or use too little memory to serve. Returns
 * the number of connections that it may hold.
 */
function requireLimits(): { maxConnections: number } {
  requireOpenFiles()
  const oldSpace = oldSpaceOf([process.env.NODE_OPTIONS ?? '', ...process.execArgv].join(' '))
  if (oldSpace < minOldSpace) {
    throw new OperatorError(
      `--max-old-space-size=${oldSpace} is too little memory for objects: the service needs at least ${minOldSpace} (MB)`,
    )
  }
  return { maxConnections: divideOpenFiles(openFilesLimit()).connections }
}

/** The last flag counts, as for V8. */
function oldSpaceOf(flags: string): number {
  const [, mb] = [...flags.matchAll(/--max[-_]old[-_]space[-_]size[= ](\d+)/g)].at(-1) ?? []
  return mb === undefined ? Number.POSITIVE_INFINITY : Number(mb)
}

/** What system errors mean to an operator. */
const advice: Readonly<Record<string, (subject: string) => string>> = {
  ENOSPC: (path) => `the disk of ${path} is full; free some space`,
  EDQUOT: (path) => `the disk quota of ${path} is used up; free some space`,
  EROFS: (path) => `${path} is on a read-only file system; make it writable, or set DATA_DIR`,
  EACCES: (path) =>
    `${path} may not be written to or used by this user; change its rights, or set DATA_DIR, HOST or PORT`,
  EPERM: (path) => `${path} may not be changed by this user; change its rights, or set DATA_DIR`,
  ENOTDIR: (path) => `${path} is below something that is not a directory; set DATA_DIR to a directory`,
  EEXIST: (path) => `${path} is not a directory; move it away, or set DATA_DIR to a directory`,
  EMFILE: () => 'this process has too many files open; raise the limit (ulimit -n, or LimitNOFILE of systemd)',
  EADDRINUSE: (address) => `${address} is in use by another process; stop it, or set PORT`,
  EADDRNOTAVAIL: (address) => `${address} is not an address of this machine; set HOST`,
}

/** The message for a failed start: a sentence if an operator can fix the problem, else the error itself. */
export function startFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (error instanceof OperatorError) return error.message
  if (!('code' in error)) return error
  const code = String(error.code)
  return `cannot start: ${advice[code]?.(subjectOf(error)) ?? (error.message.trim().replaceAll(/\s+/g, ' ') || code)}`
}

function subjectOf(error: object): string {
  if ('path' in error) return String(error.path)
  if ('address' in error && 'port' in error) return `${error.address}:${error.port}`
  return 'DATA_DIR'
}
