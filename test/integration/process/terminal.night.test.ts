import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { runProgram } from '../../support/process/run-program.ts'
import { environmentOf, type ServerProcess, startServerProcess } from '../../support/process/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

/** What the commands print to someone who tries the service, and to a program that reads them. */

const timeout = 300_000
const columns = 80
let storage: TestStorage
let server: ServerProcess
let folder: ReturnType<typeof tempDir>
let boot: string
const tokens: Record<string, string> = {}

const terminal = `export COMMAND="$(printf '%q ' "$@")"; exec script -qec 'stty cols ${columns}; eval "$COMMAND"' /dev/null`

/** Runs a command on a terminal: its stdout and stderr together, line by line as they are drawn. */
async function onTerminal(args: readonly string[], env: Record<string, string> = {}) {
  const wrapper = ['bash', '-c', terminal, 'bash']
  const all = { SVC_URL: server.url, SHELL: '/bin/bash', ...env }
  const { code, stdout } = await runProgram({ args, env: all, wrapper, cwd: folder.path })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it clears the line of a terminal
  return { code, lines: stdout.split(/\r?\n|\r\u001b\[K/).filter((line) => line !== '') }
}

const piped = (args: readonly string[], env: Record<string, string> = {}) =>
  runProgram({ args, env: { SVC_URL: server.url, ...env }, cwd: folder.path })

const fitting = (lines: readonly string[]) => {
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(columns)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: neither colours nor movements of the cursor
  expect(lines.join('\n')).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
}

beforeAll(async () => {
  folder = tempDir('terminal')
  storage = await createStorage()
  server = await startServerProcess({ ...environmentOf(storage), npm_lifecycle_event: 'start' })
  boot = server.stdout
}, timeout)
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await storage.remove()
  folder.remove()
}, timeout)

test('the first start says what to do next, by the address that it listens on', () => {
  const [, next = ''] = boot.split('\nNext, in another terminal:\n')
  expect(boot).toMatch(new RegExp(`^ {2}console +${server.url} `, 'm'))
  expect(boot).toContain(`  to begin   curl -X POST ${server.url}/v1/admin/seed\n`)
  expect(next.split('\n').map((line) => line.trim().split(/ {2,}/)[0])).toEqual([
    `export SVC_URL=${server.url}`,
    'npm run -s seed',
    'export SVC_TOKEN=svc_sk_…',
    "npm run -s search -- 'pier 4'",
    "npm run -s ask -- 'Why did the battery pack overheat at pier 4?'",
    'npm run -s ingest -- FOLDER --scope SCOPE',
    'npm run -s search -- --help',
    '',
  ])
  fitting(next.split('\n'))
})

test('seed shows people their tokens and what to try with them, and gives programs the answer', {
  timeout,
}, async () => {
  const shown = await onTerminal(['seed'])
  expect(shown.code).toBe(0)
  for (const line of shown.lines) {
    const [, name, token, where] = /^ {2}(\w+) +(svc_sk_\w+) +(\w+: [\w, ]+)$/.exec(line) ?? []
    if (name !== undefined && token !== undefined) tokens[name] = `${token} ${where}`
  }
  expect(Object.entries(tokens).map(([name, line]) => [name, line.replace(/^\S+ /, '')])).toEqual([
    ['admin', 'demo: read, write, admin'],
    ['readonly', 'demo: read'],
    ['free', 'free: read, write'],
    ['pro', 'pro: read, write'],
    ['enterprise', 'enterprise: read, write, admin'],
  ])
  for (const [name, line] of Object.entries(tokens)) tokens[name] = line.split(' ')[0] ?? ''
  expect(shown.lines).toContain(`  export SVC_TOKEN=${tokens.admin}`)
  const env = { SVC_TOKEN: tokens.admin ?? '' }
  const [again, json] = [await piped(['seed'], env), await onTerminal(['seed', '--json'], { SVC_TOKEN: '' })]
  const answer = JSON.parse(again.stdout)
  expect(Object.keys(answer.tokens)).toEqual(Object.keys(tokens))
  Object.assign(tokens, answer.tokens)
  expect([json.code, json.lines]).toEqual([
    1,
    [expect.stringMatching(/^seed: a valid token is required.*unauthorized/)],
  ])
})

test('a hit has a line, and on a narrow terminal one more for its text', { timeout }, async () => {
  const env = { SVC_TOKEN: tokens.admin ?? '' }
  const args = ['search', 'cloud cost report', '--top-k', '3']
  const [shown, read] = [await onTerminal(args, env), await piped(args, env)]
  expect([shown.code, read.code, read.stderr]).toEqual([0, 0, ''])
  const hit = /^ \d [01]\.\d{3} \w+ +seed-[\w-]+/
  expect(read.stdout.trimEnd().split('\n')).toEqual(Array(3).fill(expect.stringMatching(hit)))
  expect(shown.lines.map((line) => hit.test(line))).toEqual([true, false, true, false, true, false])
  expect(read.stdout.split('\n').map((line) => hit.exec(line)?.[0])).toEqual(
    expect.arrayContaining(shown.lines.filter((line) => hit.test(line))),
  )
  fitting(shown.lines)
})

test('a help fits, and says the same as elsewhere', { timeout }, async () => {
  const words = (text: string) => text.trim().split(/\s+/).join(' ')
  for (const args of [['--help'], ['help', 'ingest'], ['connect', '-h'], ['transfer', '--help'], ['audit', '--help']]) {
    const [shown, read] = [await onTerminal(args), await piped(args)]
    fitting(shown.lines)
    expect(words(shown.lines.join(' '))).toBe(words(read.stdout))
  }
  const { lines } = await onTerminal(['ingest', '--help'])
  const at = lines.findIndex((line) => line.startsWith('  --groups a,b         '))
  expect(lines[at + 1]).toMatch(/^ {23}\S/)
})

test('ask prints an answer with its quotes, or else what a search finds', { timeout }, async () => {
  const env = { SVC_TOKEN: tokens.admin ?? '' }
  const question = 'why did the battery pack overheat at pier 4'
  const asked = await piped(['ask', question], env)
  expect([asked.code, asked.stderr]).toEqual([0, ''])
  const [answer, , ...citations] = asked.stdout.trimEnd().split('\n')
  expect(answer).toMatch(/Eelgrass had clogged .*\[1\]/)
  expect(citations[0]).toMatch(/^\[1\] seed-pier4-root-cause {2}Eelgrass had clogged/)
  const json = JSON.parse((await piped(['ask', question, '--json'], env)).stdout)
  const cited = json.hits.find((one: { external_id: string }) => one.external_id === 'seed-pier4-root-cause')
  expect(json.answer.citations[0]).toMatchObject({ marker: 1, unit_id: cited.unit_id })
  const both = (await piped(['search', question, '--answer'], env)).stdout.trimEnd().split('\n\n')
  expect(both.slice(0, 2)).toEqual([answer, citations.join('\n')])
  expect(both[2]?.split('\n').map((line) => Number(line.slice(0, 3)))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  const { lines } = await onTerminal(['ask', 'who won the world cup of 1954?', '--top-k', '2'], env)
  expect(json.answer.abstained).toBe(false)
  expect(lines.slice(1).map((line) => line.slice(0, 3))).toEqual([' 1 ', '   ', ' 2 ', '   '])
  fitting(lines)
  const refused = await piped(['ask', question], { SVC_TOKEN: tokens.free ?? '' })
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^ask: .*\(upgrade_required\)\n$/)])
  for (const args of [[], ['a', 'b'], ['a', '--answer'], ['a', '--top-k', '51'], ['a', '--top-k']])
    expect(await piped(['ask', ...args], env)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^ask: /),
    })
})

test('a folder gets a bar that fits, and in the end a list of what was left out', { timeout }, async () => {
  const root = join(folder.path, 'notes')
  mkdirSync(root)
  for (let i = 0; i < 12; i += 1)
    writeFileSync(join(root, `note-${i}.md`), `# Note ${i}\n\nA gull sat on bollard ${i}.\n`)
  writeFileSync(join(root, 'empty.txt'), '')
  writeFileSync(join(root, 'x.bin'), Buffer.from(Array.from({ length: 999 }, (_, i) => (i * 7919) % 256)))
  symlinkSync('note-1.md', join(root, 'link'))
  const env = { SVC_TOKEN: tokens.pro ?? '' }
  const { code, lines } = await onTerminal(['ingest', 'notes', '--scope', 'notes'], env)
  expect(code).toBe(0)
  const bars = lines.filter((line) => line.startsWith('['))
  expect(bars[0]).toMatch(/^\[-+\] 0\/15 files, 0 kB of \d+ kB, 0 Units$/)
  expect(bars.at(-1)).toMatch(/^\[#+\] 15\/15 files, \d+ kB, 12 Units$/)
  fitting(lines)
  const rest = lines.slice(lines.indexOf(bars.at(-1) ?? '') + 1)
  expect(rest.slice(0, 3).sort()).toEqual([
    'skipped notes/empty.txt empty',
    'skipped notes/link symlink',
    'skipped notes/x.bin unsupported',
  ])
  expect(rest.slice(3)).toEqual(['15 files: 12 ok, 0 unchanged, 0 failed, 3 skipped, 0 deleted; 12 Units'])
})
