/** Writes `test/upgrades/VERSION`: a small backup of this version, the admin's token, and what searches found. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const program = join(root, 'src/main.ts')
const queries = ['thermal photo of the battery pack', 'who repaired the seawater strainer']

/** Makes the data in a temporary folder, so that nothing is left there if it fails. */
export async function writeFixture(version: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'fixture-'))
  const target = join(root, 'test/upgrades', version)
  const data = join(folder, 'data')
  const env = { ...process.env, DATA_DIR: data, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn' }
  const run = (...args: string[]) =>
    execFileSync(process.execPath, ['--', program, ...args], { cwd: folder, env, encoding: 'utf8' })
  const server = spawn(process.execPath, ['--', program, 'serve'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    let url = ''
    for await (const line of createInterface({ input: server.stdout })) {
      url = /^ {2}address +(\S+)/.exec(line)?.[1] ?? url
      if (line.startsWith('  to begin')) break
    }
    run('seed', '--url', url, '--out', 'seed.json')
    const token: string = JSON.parse(readFileSync(join(folder, 'seed.json'), 'utf8')).tokens.admin
    writeFileSync(join(folder, 'token'), token, { mode: 0o600 })
    const found = queries.map((query) => {
      const answer = JSON.parse(run('search', query, '--url', url, '--token-file', 'token', '--json'))
      return { query, first: answer.hits[0].unit_id }
    })
    server.kill('SIGTERM')
    await once(server, 'close')
    rmSync(target, { recursive: true, force: true })
    mkdirSync(target, { recursive: true })
    run('backup', join(folder, 'backup'))
    execFileSync('tar', ['--exclude=lock*', '-cf', join(target, 'backup.tar'), '-C', folder, 'backup'])
    writeFileSync(join(target, 'found.json'), `${JSON.stringify({ token, found }, null, 2)}\n`)
    return target
  } finally {
    server.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}
