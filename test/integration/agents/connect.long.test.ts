import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { agents } from '../../../src/cli/connect/agents.ts'

let home: string
let project: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'connect-'))
  project = join(home, 'project')
  mkdirSync(project)
})
afterEach(() => rmSync(home, { recursive: true }))

const main = join(import.meta.dirname, '../../../src/main.ts')
const key = 'svc_sk_secret_1'

function connect(...args: string[]) {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, NODE_COMPILE_CACHE, HOME: home, SVC_TOKEN: key, SVC_URL: 'https://retrieval.example' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'connect', ...args], {
    cwd: project,
    env,
    encoding: 'utf8',
    input: '',
  })
  return { status, stdout, stderr }
}
const read = (file: string) => readFileSync(file, 'utf8')
const write = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
const fileOf = (agent: string, isOfProject = false) =>
  agents[agent]?.fileOf({ home, directory: project, platform: process.platform, env: {} }, isOfProject) ?? ''

const url = 'https://retrieval.example/mcp'
const variable = (name: string) => `\${${name}}`
const expected: Record<string, string> = {
  claude: JSON.stringify({
    mcpServers: { retrieval: { type: 'http', url, headers: { Authorization: `Bearer ${variable('SVC_TOKEN')}` } } },
  }),
  cursor: JSON.stringify({
    mcpServers: { retrieval: { url, headers: { Authorization: `Bearer ${variable('env:SVC_TOKEN')}` } } },
  }),
  vscode: JSON.stringify({
    inputs: [{ type: 'promptString', id: 'retrieval-key', description: 'Key of retrieval', password: true }],
    servers: {
      retrieval: { type: 'http', url, headers: { Authorization: `Bearer ${variable('input:retrieval-key')}` } },
    },
  }),
  codex: `[mcp_servers.retrieval]\nurl = "${url}"\nbearer_token_env_var = "SVC_TOKEN"\n`,
}
const compact = (agent: string, text: string) => (agent === 'codex' ? text : JSON.stringify(JSON.parse(text)))

test.each(Object.keys(agents))('%s: shows, asks, writes without a key, is idempotent and can be taken out', (agent) => {
  const file = fileOf(agent)
  const refused = connect(agent)
  expect(refused).toMatchObject({ status: 2, stdout: expect.stringContaining(url) })
  expect(refused.stderr).toContain('--yes')
  expect(() => read(file)).toThrow('ENOENT')

  const printed = connect(agent, '--print')
  expect(printed.stdout.startsWith(`${file}:`)).toBe(true)
  expect(() => read(file)).toThrow('ENOENT')

  const written = connect(agent, '--yes')
  expect(written).toMatchObject({ status: 0, stderr: '' })
  expect(compact(agent, read(file))).toBe(expected[agent])
  expect(printed.stdout).toContain(read(file).trimEnd())
  expect(`${written.stdout}${read(file)}`).not.toContain(key)
  expect(connect(agent)).toMatchObject({ status: 0, stdout: expect.stringContaining('stays as it is') })

  expect(connect(agent, '--consent', '--scope', 'a/b', '--yes').status).toBe(0)
  expect(read(file)).toContain(`${url}?scope=a%2Fb`)
  expect(read(file)).not.toMatch(/Authorization|TOKEN|retrieval-key/)
  expect(connect(agent, '--remove', '--yes').status).toBe(0)
  expect(read(file)).not.toContain('retrieval')
})

test('what is in a JSON file stays, with its indentation, mode and link', () => {
  const kept = { numbers: [1, 2], mcpServers: { other: { url: 'https://other.example' } } }
  const before = `${JSON.stringify(kept, null, '\t')}\n`
  const target = join(home, 'dotfiles.json')
  write(target, before)
  chmodSync(target, 0o640)
  const file = fileOf('cursor')
  mkdirSync(dirname(file), { recursive: true })
  symlinkSync(target, file)
  const { stdout } = connect('cursor', '--yes')
  expect(stdout.split('\n').filter((line) => line.startsWith('-'))).toEqual([])
  expect(JSON.parse(read(target))).toMatchObject(kept)
  expect(read(target)).toContain('\n\t\t"retrieval": {')
  expect(statSync(target).mode & 0o777).toBe(0o640)
  expect(connect('cursor', '--remove', '--yes').status).toBe(0)
  expect(read(target)).toBe(before)
})

test('the questions and servers of others stay in VS Code', () => {
  const kept = { inputs: [{ id: 'theirs', type: 'promptString' }], servers: { theirs: { url: 'https://a.example' } } }
  const file = fileOf('vscode', true)
  write(file, `${JSON.stringify(kept, null, 2)}\n`)
  expect(connect('vscode', '--project', '--yes').status).toBe(0)
  const { inputs, servers } = JSON.parse(read(file))
  expect([inputs.map(({ id }: { id: string }) => id), Object.keys(servers)]).toEqual([
    ['theirs', 'retrieval-key'],
    ['theirs', 'retrieval'],
  ])
  expect(connect('vscode', '--project', '--remove', '--yes').status).toBe(0)
  expect(JSON.parse(read(file))).toEqual(kept)
})

test('tables and comments of a TOML file stay', () => {
  const before = `model = "o"\n\n# mine\n[mcp_servers.other]\nargs = [\n  "x",\n]\n`
  const file = fileOf('codex')
  write(file, before)
  expect(connect('codex', '--yes').status).toBe(0)
  expect(read(file)).toBe(`${before}\n${expected.codex}`)
  const after = `${read(file)}\n# theirs\n[mcp_servers.third]\nurl = "x"\n`
  write(file, after)
  expect(connect('codex', '--consent', '--yes').status).toBe(0)
  expect(read(file)).toBe(after.replace('bearer_token_env_var = "SVC_TOKEN"\n', ''))
  expect(connect('codex', '--remove', '--yes').status).toBe(0)
  expect(read(file)).toBe(`${before}\n# theirs\n[mcp_servers.third]\nurl = "x"\n`)
})

test.each([
  ['cursor', '{\n  // mine\n  "mcpServers": {}\n}\n'],
  ['cursor', '[]'],
  ['cursor', '{"mcpServers": []}'],
  ['codex', 'mcp_servers = { a = { url = "x" } }\n'],
  ['codex', 'note = """\n[mcp_servers.retrieval]\n"""\n'],
])('a file that cannot be changed without loss stays: %s %j', (agent, before) => {
  const file = fileOf(agent)
  write(file, before)
  const refused = connect(agent, '--yes')
  expect(refused.status).toBe(2)
  expect(refused.stderr).toContain(file)
  expect(refused.stderr).toContain('--print')
  expect(read(file)).toBe(before)
})

test('wrong usage is said', () => {
  expect(connect('emacs')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('claude, cursor, vscode or codex'),
  })
  expect(connect()).toMatchObject({ status: 2 })
  expect(connect('codex', '--name', 'a b', '--print')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--name'),
  })
  expect(connect('codex', '--url', 'nowhere', '--print')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--url'),
  })
})

test('files are where each platform has them', () => {
  const at = (platform: NodeJS.Platform, env = {}) =>
    agents.vscode?.fileOf({ home: '/home/a', directory: '/work', platform, env }, false)
  expect([at('linux'), at('darwin'), at('linux', { XDG_CONFIG_HOME: '/x' })]).toEqual([
    '/home/a/.config/Code/User/mcp.json',
    '/home/a/Library/Application Support/Code/User/mcp.json',
    '/x/Code/User/mcp.json',
  ])
  expect(at('win32', { APPDATA: 'C:/Roaming' })).toBe('C:/Roaming/Code/User/mcp.json')
  const codex = agents.codex?.fileOf(
    { home: '/home/a', directory: '/work', platform: 'linux', env: { CODEX_HOME: '/c' } },
    false,
  )
  expect(codex).toBe('/c/config.toml')
})
