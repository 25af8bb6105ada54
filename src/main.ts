import { join, resolve } from 'node:path'
import { runCommand } from './cli/program/command.ts'
import { help } from './cli/serve/help.ts'
import { environmentOf } from './cli/serve/options.ts'
import { keepCompiled } from './compiled.ts'
import { type Config, readConfig, unreadSettings } from './config.ts'
import type { Runtime } from './runtime.ts'
import { describeInference } from './settings/inference-config.ts'
import { startFailure } from './start-failure.ts'
import { createStop } from './stop.ts'
import { version } from './version.ts'

/** Reads the settings, serves, and drains on SIGTERM or SIGINT. */
async function serve(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const config = readConfig(env)
  keepCompiled(join(config.dataDir, 'compiled'))
  // Loaded only now: help and configuration errors need no database driver.
  const { createApp } = await import('./app.ts')
  const { startServer } = await import('./http/server.ts')
  const { createRuntime } = await import('./runtime.ts')
  const runtime = await createRuntime(config)
  for (const { name, meant } of unreadSettings(env)) {
    runtime.bindings.log.warn({ name, meant }, 'this environment variable is not a known setting')
  }
  const describe = await bootBlock(runtime)
  const app = createApp(runtime)
  const server = await startServer(app.handler, {
    host: config.host,
    port: config.port,
    log: runtime.bindings.log,
  }).catch(async (error) => {
    await runtime.dispose()
    throw error
  })
  const stop = createStop({ app, server, runtime, exit: (code) => process.exit(code) })
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  console.log(describe(server.url))
}

/** What an operator wants to know at startup; all of it is read before the port opens. */
async function bootBlock({ config, domain, bindings }: Runtime): Promise<(url: string) => string> {
  const seeded = await bindings.catalog.access.hasPrincipals()
  const { bindings: engines } = await domain.health()
  const lines = (url: string) => [
    ['address', `${url}  (GraphQL with GraphiQL: ${url}/graphql)`],
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

await runCommand({
  help,
  run: async (args, env) => {
    const settings = environmentOf(args, env)
    await serve(settings).catch((error: unknown) => {
      console.error(startFailure(error))
      process.exit(1)
    })
    return undefined
  },
  codeOf: () => 1,
})
