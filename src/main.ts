import { resolve } from 'node:path'
import { createApp } from './app.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { startServer } from './http/server.ts'
import { createRuntime, type Runtime } from './runtime.ts'
import { describeInference } from './settings/inference-config.ts'
import { createStop } from './stop.ts'
import { version } from './version.ts'

/** Reads the environment, serves, and drains on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const runtime = await createRuntime(config)
  const describe = await bootBlock(runtime)
  const app = createApp(runtime)
  const server = await startServer(app.handler, { host: config.host, port: config.port }).catch(async (error) => {
    await runtime.dispose()
    throw error
  })
  const stop = createStop({ app, server, runtime, exit: (code) => process.exit(code) })
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  console.log(describe(server.url))
}

/** What an operator wants to know at a start; all of it is asked before the port opens. */
async function bootBlock({ config, domain, bindings }: Runtime): Promise<(url: string) => string> {
  const { bindings: engines } = await domain.health()
  const seeded = await bindings.catalog.access.hasPrincipals()
  const lines = (url: string) => [
    ['address', `${url}  (GraphQL with GraphiQL: ${url}/graphql)`],
    ['data', resolve(config.dataDir)],
    ['catalog', engines.catalog],
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
  if (signUp === 'open') return 'open to everybody'
  return signUp === 'closed' ? 'for those who have an account' : `open to ${signUp.domains.join(', ')}`
}

const mendable = ['DataDirectoryLocked', 'MigrationsMissing', 'ModelUnusable']

/** What an operator can mend (settings, a taken port or directory, an unreachable database) is told in a sentence. */
function startFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (error instanceof ConfigError || mendable.includes(error.name)) return error.message
  return 'code' in error ? `cannot start: ${error.message || error.code}` : error
}

main().catch((error: unknown) => {
  console.error(startFailure(error))
  process.exit(1)
})
