import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { benchDir } from '../../support/leave-nothing.ts'
import { freePort, startServerChild } from '../../support/server-child.ts'
import { PeerSkippedError } from './peer.ts'

const run = promisify(execFile)
const installations = '/usr/lib/postgresql'

export interface PostgresServer {
  port: number
  /** Runs `psql` with this script on its standard input. */
  psql(input: Iterable<string>): Promise<void>
  close(): Promise<void>
}

/** A private server with pgvector, on a free local port and in its own folder. */
export async function startPostgres(): Promise<PostgresServer> {
  const bin = await binariesWithPgvector()
  const account = await serverAccount()
  const folder = benchDir('postgres')
  await chmod(folder.path, 0o755)
  if (account) await chown(folder.path, account.uid, account.gid)
  const asServer = { ...account, cwd: folder.path }
  const data = join(folder.path, 'data')
  await run(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8'], asServer)

  const port = await freePort()
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder.path,
    shared_buffers: '1GB',
    maintenance_work_mem: '2GB',
    max_wal_size: '8GB',
    jit: 'off',
  }
  const psqlArgs = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres', '-v', 'ON_ERROR_STOP=1', '-q']
  const server = await startServerChild(
    [
      join(bin, 'postgres'),
      ...['-D', data, '-p', `${port}`],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    () => run(join(bin, 'psql'), [...psqlArgs, '-c', 'SELECT 1'], asServer).then(() => true),
    asServer,
  )
  return {
    port,
    psql: async (input) => {
      const running = run(join(bin, 'psql'), psqlArgs, asServer)
      const { stdin } = running.child
      if (!stdin) throw new Error('psql has no standard input')
      await Promise.all([running, pipeline(Readable.from(input), stdin)])
    },
    close: async () => {
      await server.stop('SIGQUIT')
      folder.remove()
    },
  }
}

/** From the newest installation that has the extension. */
async function binariesWithPgvector(): Promise<string> {
  const versions = existsSync(installations) ? await readdir(installations) : []
  const found = versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(installations, version, 'bin'))
  const servers = found.filter((bin) => existsSync(join(bin, 'postgres')))
  for (const bin of servers) {
    const { stdout } = await run(join(bin, 'pg_config'), ['--sharedir'])
    if (existsSync(join(stdout.trim(), 'extension/vector.control'))) return bin
  }
  throw new PeerSkippedError(
    servers.length === 0
      ? `no PostgreSQL server in ${installations}`
      : `the extension pgvector is not installed for ${servers.join(', ')}`,
  )
}

/** The server refuses to run as root, so it needs another user; null if this process is not root. */
async function serverAccount(): Promise<{ uid: number; gid: number } | null> {
  if (process.getuid?.() !== 0) return null
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'postgres'])))
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) }
}
