import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { version } from '../../../src/version.ts'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { runProgram, runSeed } from '../../support/process/run-program.ts'
import { environmentOf, failedStart, startServerProcess } from '../../support/process/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

/** Most of the time is process starts, which are slow on a busy machine. */
const timeout = 300_000

const programs = [
  'main.ts',
  'cli/ingest/main.ts',
  'cli/seed/main.ts',
  'cli/transfer/main.ts',
  'cli/audit/main.ts',
  'cli/evaluate/main.ts',
]
// The programs must not read or create anything under these settings, or listen on them.
const hostile = { PORT: 'abc', DATA_DIR: '/dev/null/x', DATABASE_URL: 'nonsense' }

let folder: ReturnType<typeof tempDir>
beforeAll(() => {
  folder = tempDir('commands')
  writeFileSync(join(folder.path, '.env'), 'not a setting\n')
})
afterAll(() => folder.remove())

describe.each(programs)('%s', { timeout }, (program) => {
  const run = (...args: string[]) => runProgram({ program, args, env: hostile, cwd: folder.path })

  it('prints its help and its version, whatever the settings are', async () => {
    const [help, short, asked, short2] = await Promise.all([run('--help'), run('-h'), run('--version'), run('x', '-V')])
    expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('exit 0') })
    expect(short).toEqual(help)
    expect(asked).toEqual({ code: 0, stderr: '', stdout: `multimodal-retrieval ${version}\n` })
    expect(short2).toEqual(asked)
  })

  it('names a flag that it does not know, and does nothing', async () => {
    const verb = { 'cli/audit/main.ts': ['verify'], 'cli/transfer/main.ts': ['export'] }[program] ?? []
    const empty = tempDir('commands-empty')
    const ran = await runProgram({ program, args: [...verb, '--wrogn'], cwd: empty.path })
    empty.remove()
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr.trim().split('\n')).toEqual([expect.stringMatching(/unknown option '--wrogn'; try --help$/)])
  })
})

describe('.env', { timeout }, () => {
  const env = (lines: string) => {
    const directory = join(folder.path, `env-${Math.random()}`)
    mkdirSync(directory)
    writeFileSync(join(directory, '.env'), lines)
    return directory
  }

  it('is read in the working directory; what is set already wins, and --env-file is read instead', async () => {
    const cwd = env('# settings\nexport PORT=abc\nBRAND="Bad!" # no\n\nSEED=maybe\nLOG_LEVEL=\n')
    const { exit, stderr } = await failedStart({ SEED: 'on' }, { cwd })
    expect(exit.code).toBe(1)
    expect(stderr).toMatch(/PORT: .*\n +BRAND: /)
    expect(stderr).not.toMatch(/SEED|Bad!/)
    writeFileSync(join(cwd, 'other'), 'SEED=maybe\n')
    const other = await failedStart({}, { cwd, args: ['--env-file', 'other'] })
    expect(other.stderr).toMatch(/^ {2}SEED: /m)
    expect(other.stderr).not.toContain('PORT')
    expect((await runSeed([], {})).code).toBe(2)
    const asked = await runProgram({ program: 'cli/seed/main.ts', args: [], cwd: env('SVC_URL=http://127.0.0.1:1\n') })
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('http://127.0.0.1:1 is out of reach')])
  })

  it('is refused by the numbers of its bad lines, and nothing of them is shown', async () => {
    const cwd = env('A=1\nhush hush\nB="open\nC=3\n1D=4\n')
    const { exit, stderr } = await failedStart({}, { cwd })
    expect(exit.code).toBe(1)
    expect(stderr.trim().split('\n')).toEqual(
      [2, 3, 5].map((line) => `.env, line ${line}: is not a setting; write NAME=value`),
    )
    expect(await runProgram({ program: 'cli/transfer/main.ts', args: ['export', '--all', 'x'], cwd })).toMatchObject({
      code: 2,
    })
    const missing = await failedStart({}, { args: ['--env-file=nowhere'] })
    expect([missing.exit.code, missing.stderr.trim()]).toEqual([1, '--env-file: there is no file nowhere'])
  })
})

describe('with data', { timeout }, () => {
  let storage: TestStorage
  beforeAll(async () => {
    storage = await createStorage()
  })
  afterAll(() => storage.remove())

  it('serve takes its flags before its settings; seed asks it, and rotates once it has stopped', async () => {
    const { PORT: _, HOST: _h, ...settings } = environmentOf(storage)
    const flags = ['--host', '127.0.0.1', '--port', '0', '--data-dir', storage.dataDir]
    const out = join(folder.path, 'tokens.json')
    const env = { ...settings, DATA_DIR: '/dev/null/x' }
    const rotate = ['--rotate', '--data-dir', storage.dataDir]
    {
      await using server = await startServerProcess({ ...env, HOST: 'nowhere.invalid', PORT: '1' }, { args: flags })
      expect(await runSeed(['--url', server.url, '--out', out], {})).toEqual({ code: 0, stdout: '', stderr: '' })
      expect(statSync(out).mode & 0o777).toBe(0o600)
      const again = await runSeed(['--url', server.url], {})
      expect([again.code, again.stdout, again.stderr.trim()]).toEqual([
        1,
        '',
        'seed: a valid token is required: send the header Authorization: Bearer <token> (unauthorized)',
      ])
      const { tokens } = JSON.parse(readFileSync(out, 'utf8'))
      const asAdmin = await runSeed(['--url', server.url, '--out', out], { SVC_TOKEN: tokens.admin })
      expect([asAdmin.code, asAdmin.stderr]).toEqual([2, expect.stringContaining('exists already')])
      expect(JSON.parse(readFileSync(out, 'utf8')).tokens).toEqual(tokens)
      if (storage.catalog.kind === 'pglite') {
        const locked = await runSeed(rotate, env)
        expect([locked.code, locked.stdout, locked.stderr.trim().split('\n')]).toEqual([
          2,
          '',
          [expect.stringContaining(`is in use by another process (pid ${server.pid})`)],
        ])
      }
      server.kill('SIGTERM')
      expect((await server.exited).code).toBe(0)
    }
    const old = JSON.parse(readFileSync(out, 'utf8'))
    const rotated = await runSeed(rotate, env)
    expect([rotated.code, rotated.stderr]).toEqual([0, ''])
    const { principals, scopes, tokens } = JSON.parse(rotated.stdout)
    expect({ principals, scopes }).toEqual({ principals: old.principals, scopes: old.scopes })
    await using server = await startServerProcess({ ...env, HOST: 'nowhere.invalid', PORT: '1' }, { args: flags })
    const status = async (token: string) =>
      (await fetch(`${server.url}/v1/context`, { headers: { authorization: `Bearer ${token}` } })).status
    for (const name of ['admin', 'readonly', 'free', 'pro', 'enterprise']) {
      expect([name, await status(old.tokens[name]), await status(tokens[name])]).toEqual([name, 401, 200])
    }
  })

  it('rotating is refused where there is nothing to rotate, and makes nothing', async () => {
    const empty = tempDir('rotate')
    const none = await runSeed(['--rotate', '--data-dir', empty.path], {})
    expect([none.code, none.stderr.trim()]).toEqual([
      2,
      `seed: ${empty.path} holds no catalog; set DATA_DIR or --data-dir to the data`,
    ])
    empty.remove()
    const unseeded = await createStorage()
    const { HOST: _, PORT: _p, ...settings } = environmentOf(unseeded)
    const refused = await runSeed(['--rotate'], settings)
    expect([refused.code, refused.stderr.trim()]).toEqual([
      1,
      'seed: nothing was seeded here; start the service and POST /v1/admin/seed',
    ])
    await unseeded.remove()
  })
})
