import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { type StartedServer, serverFlags } from './server.ts'

/** Starts the newest PostgreSQL installed on this machine; throws if there is none. */
export async function startInstalled(): Promise<StartedServer> {
  const bin = binaries()
  const folder = mkdtempSync(join(tmpdir(), 'postgresql-'))
  const port = await freePort()
  const isRoot = process.getuid?.() === 0
  const run = (program: string, args: string[]) => {
    const command = [join(bin, program), ...args]
    // PostgreSQL refuses to run as root.
    const [file = '', ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command
    execFileSync(file, rest, { cwd: '/', stdio: 'ignore' })
  }
  const data = join(folder, 'data')
  chmodSync(folder, 0o777)
  run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust'])
  const flags = [...serverFlags, '-p', `${port}`, '-k', folder].join(' ')
  run('pg_ctl', ['-w', '-D', data, '-l', join(folder, 'log'), '-o', flags, 'start'])
  return {
    name: `in ${bin}`,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      run('pg_ctl', ['-D', data, '-m', 'immediate', 'stop'])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function binaries(): string {
  const versions = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  const onPath = (process.env.PATH ?? '').split(':')
  const found = [...versions.reverse(), ...onPath].find((folder) => existsSync(join(folder, 'initdb')))
  if (found === undefined) throw new Error('no PostgreSQL server is installed')
  return found
}
