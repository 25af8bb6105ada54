import { resolve } from 'node:path'
import { createApp } from './app.ts'
import { ConfigError, readConfig } from './config.ts'
import { startServer } from './http/server.ts'
import { createRuntime, type Runtime } from './runtime.ts'
import { version } from './version.ts'

/** Reads the environment, serves, and drains on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const runtime = await createRuntime(config)
  const server = await startServer(createApp(runtime).handler, config).catch(async (error) => {
    await runtime.dispose()
    throw error
  })
  console.log(await bootBlock(runtime, server.url))

  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    await server.close()
    await runtime.dispose()
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

async function bootBlock({ config, domain, bindings }: Runtime, url: string): Promise<string> {
  const { bindings: engines } = await domain.health()
  const seeded = await bindings.catalog.access.hasPrincipals()
  const lines = [
    ['address', `${url}  (GraphQL with GraphiQL: ${url}/graphql)`],
    ['data', resolve(config.dataDir)],
    ['catalog', engines.catalog],
    ['index', `${engines.vectorIndex[0]} vectors, ${bindings.texts.engine} text`],
    ['objects', engines.objectStore],
    ['key-value', engines.keyValue],
    ['inference', 'built in'],
    ['to begin', seeded ? 'seeded already; an admin may seed again' : `curl -X POST ${url}/v1/admin/seed`],
  ]
  return [`multimodal-retrieval ${version}`, ...lines.map(([name, value]) => `  ${name?.padEnd(10)} ${value}`)].join(
    '\n',
  )
}

main().catch((error: unknown) => {
  // What an operator can mend is told in a sentence; anything else comes with its stack.
  const expected = error instanceof ConfigError || (error instanceof Error && error.name === 'DataDirectoryLocked')
  console.error(expected && error instanceof Error ? error.message : error)
  process.exit(1)
})
