import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { version } from '../../../src/version.ts'
import { sampled } from '../../support/amounts.ts'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { runProgram, runSeed } from '../../support/process/run-program.ts'
import { environmentOf, failedStart, startServerProcess } from '../../support/process/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

/** Most of the time is process starts, which are slow on a busy machine. */
const timeout = 300_000

const commands = [
  ...[
    'serve',
    'seed',
    'search',
    'ask',
    'ingest',
    'audit',
    'evaluate',
    'transfer',
    'backup',
    'restore',
    'tier',
    'admin',
  ],
  ...['model', 'mcp', 'connect', 'completion'],
]
// The programs must not read or create anything under these settings, or listen on them.
const hostile = { PORT: 'abc', DATA_DIR: '/dev/null/x', DATABASE_URL: 'nonsense' }

let folder: ReturnType<typeof tempDir>
beforeAll(() => {
  folder = tempDir('commands')
  writeFileSync(join(folder.path, '.env'), 'not a setting\n')
})
afterAll(() => folder.remove())

describe.each(commands)('%s', { timeout }, (command) => {
  const run = (...args: string[]) => runProgram({ args: [command, ...args], env: hostile, cwd: folder.path })

  it('prints its help, whatever the settings are, and names a flag that it does not know', async () => {
    const verb = { audit: ['verify'], transfer: ['export'], model: ['list'] }[command] ?? []
    const empty = tempDir('commands-empty')
    const [help, ran] = await Promise.all([
      run('--help'),
      runProgram({ args: [command, ...verb, '--wrogn'], cwd: empty.path }),
    ])
    expect(readdirSync(empty.path)).toEqual([])
    empty.remove()
    expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('exit 0') })
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr.trim().split('\n')).toEqual([expect.stringMatching(/unknown option '--wrogn'; try --help$/)])
  })

  it.runIf(sampled(commands, 3).includes(command))('prints its version, and takes short flags', async () => {
    const [help, short, asked, short2] = await Promise.all([run('--help'), run('-h'), run('--version'), run('x', '-V')])
    expect(short).toEqual(help)
    expect(asked).toEqual({ code: 0, stderr: '', stdout: `multimodal-retrieval ${version}\n` })
    expect(short2).toEqual(asked)
  })
})

describe('the program', { timeout }, () => {
  const run = (...args: string[]) => runProgram({ args, env: hostile, cwd: folder.path })

  it('lists its commands, prints the help of each, and names what it does not know', async () => {
    const [overview, short, seedHelp, helpOfSeed, asked, unknown, inherited, two] = await Promise.all([
      run('--help'),
      run('help'),
      run('seed', '--help'),
      run('help', 'seed'),
      run('-V'),
      run('sead'),
      run('toString'),
      run('help', 'seed', 'audit'),
    ])
    expect(overview).toMatchObject({ code: 0, stderr: '' })
    for (const command of commands) expect(overview.stdout).toMatch(new RegExp(`^  ${command} +[A-Z]`, 'm'))
    expect(short).toEqual(overview)
    expect(helpOfSeed).toEqual(seedHelp)
    expect(asked.stdout).toBe(`multimodal-retrieval ${version}\n`)
    expect(unknown).toEqual({ code: 2, stdout: '', stderr: 'unknown command "sead"; try --help\n' })
    expect(inherited).toMatchObject({ code: 2, stdout: '' })
    expect(two).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('audit') })
  })

  it('prints completions that a shell accepts, with all commands and flags', async () => {
    const cwd = tempDir('completion')
    const scripts = await Promise.all(
      ['bash', 'zsh', 'fish'].map((shell) => runProgram({ args: ['completion', shell], cwd: cwd.path })),
    )
    cwd.remove()
    for (const { code, stdout } of scripts) {
      expect(code).toBe(0)
      for (const command of commands) expect(stdout).toContain(command)
    }
    const [bash] = scripts
    const complete = (...line: string[]) =>
      execFileSync(
        'bash',
        [
          ...[
            '-c',
            `${bash?.stdout}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _multimodal_retrieval; echo "\${COMPREPLY[*]}"`,
          ],
          ...['bash', 'multimodal-retrieval', ...line],
        ],
        { encoding: 'utf8' },
      ).trim()
    expect(complete('se')).toBe('serve seed search')
    expect(complete('seed', '--ro')).toBe('--rotate')
    expect(complete('audit', 'v')).toBe('verify')
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
    const asked = await runProgram({ args: ['seed'], cwd: env('SVC_URL=http://127.0.0.1:1\n') })
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('http://127.0.0.1:1 is out of reach')])
  })

  it('is refused by the numbers of its bad lines, and nothing of them is shown', async () => {
    const cwd = env('A=1\nhush hush\nB="open\nC=3\n1D=4\n')
    const { exit, stderr } = await failedStart({}, { cwd })
    expect(exit.code).toBe(1)
    expect(stderr.trim().split('\n')).toEqual(
      [2, 3, 5].map((line) => `.env, line ${line}: is not a setting; write NAME=value`),
    )
    expect(await runProgram({ args: ['transfer', 'export', '--all', 'x'], cwd })).toMatchObject({
      code: 2,
    })
    const missing = await failedStart({}, { args: ['--env-file=nowhere'] })
    expect([missing.exit.code, missing.stderr.trim()]).toEqual([1, '--env-file: there is no file nowhere'])
  })
})

/** A line per hit, the response itself, and a refusal. */
async function searches(url: string, token: string): Promise<void> {
  const search = (...args: string[]) =>
    runProgram({ args: ['search', ...args], env: { SVC_URL: url, SVC_TOKEN: token } })
  const found = await search('winter timetable', '--top-k', '2', '--planes', 'text')
  expect(found).toMatchObject({ code: 0, stderr: '' })
  const lines = found.stdout.trimEnd().split('\n')
  expect(lines).toEqual(
    [1, 2].map((rank) => expect.stringMatching(new RegExp(`^ ${rank} [01]\\.\\d{3} text +seed-\\S+  \\S`))),
  )
  const { hits, hidden_by_acl } = JSON.parse((await search('winter timetable', '--json')).stdout)
  expect([hits.length, hits[0].rank, hidden_by_acl]).toEqual([10, 1, 0])
  const refused = await search('x', '--namespace', 'nowhere')
  expect([refused.code, refused.stdout, refused.stderr]).toEqual([1, '', expect.stringMatching(/^search: .*forbidden/)])
  expect((await search('two', 'queries')).code).toBe(2)
  expect((await search('x', '--url', 'http://127.0.0.1:1')).code).toBe(2)
}

const operatorToken = 'the-token-of-the-super-admin'

/** The operator's commands, over HTTP and through the data directory of the running service. */
async function operates(url: string, data: Record<string, string>): Promise<void> {
  const elsewhere = { SVC_URL: url, SUPER_ADMIN_TOKEN: operatorToken }
  for (const env of [elsewhere, data]) {
    const run = (...args: string[]) => runProgram({ args, env })
    expect(await run('tier', 'free')).toEqual({ code: 0, stdout: 'free\n', stderr: '' })
    expect((await run('tier', 'free', 'pro')).stdout).toBe('pro\n')
    expect(JSON.parse((await run('tier', 'free', 'free', '--json')).stdout)).toEqual({
      namespace: 'free',
      tier: 'free',
    })
    expect((await run('tier', 'free', 'gold')).code).toBe(2)
    const email = env === data ? 'two@example.com' : 'one@example.com'
    const unknown = await run('admin', 'grant', email)
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringMatching(/^admin: email: must be an address/)])
    const body = JSON.stringify({ name: 'Ada', email, password: 'correct horse battery staple' })
    const headers = { 'content-type': 'application/json', origin: url }
    expect((await fetch(`${url}/api/auth/sign-up/email`, { method: 'POST', headers, body })).status).toBe(200)
    expect((await run('admin', 'grant', email)).stdout).toMatch(/^user_\w+ is an admin of demo\n$/)
  }
  const stranger = await runProgram({ args: ['tier', 'free', 'pro'], env: { SVC_URL: url, SVC_TOKEN: 'none' } })
  expect([stranger.code, stranger.stdout]).toEqual([1, ''])
}

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
    const env = { ...settings, DATA_DIR: '/dev/null/x', SUPER_ADMIN_TOKEN: operatorToken }
    const rotate = ['--rotate', '--data-dir', storage.dataDir]
    {
      await using server = await startServerProcess({ ...env, HOST: 'nowhere.invalid', PORT: '1' }, { args: flags })
      expect(await runSeed(['--url', server.url, '--out', out], {})).toEqual({ code: 0, stdout: '', stderr: '' })
      expect(statSync(out).mode & 0o777).toBe(0o600)
      const again = await runSeed(['--url', server.url], {})
      expect([again.code, again.stdout, again.stderr.trim()]).toEqual([
        1,
        '',
        expect.stringMatching(
          /^seed: a valid token is required.*use one of its tokens, or stop the service and replace them/,
        ),
      ])
      const { tokens } = JSON.parse(readFileSync(out, 'utf8'))
      const asAdmin = await runSeed(['--url', server.url, '--out', out], { SVC_TOKEN: tokens.admin })
      expect([asAdmin.code, asAdmin.stderr]).toEqual([2, expect.stringContaining('exists already')])
      expect(JSON.parse(readFileSync(out, 'utf8')).tokens).toEqual(tokens)
      await searches(server.url, tokens.admin)
      await operates(server.url, { ...settings, DATA_DIR: storage.dataDir })
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
    const stopped = await runProgram({ args: ['tier', 'free', 'enterprise', '--data-dir', storage.dataDir], env })
    expect(stopped).toEqual({ code: 0, stdout: 'enterprise\n', stderr: '' })
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
