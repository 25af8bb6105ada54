import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { type Command, ingest, ledgerOf, startIngest } from '../../support/documents/ingest-command.ts'
import { startFlakyProxy } from '../../support/process/flaky-proxy.ts'
import { environmentOf, type ServerProcess, startServerProcess } from '../../support/process/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

let storage: TestStorage
let server: ServerProcess
let tokens: Record<string, string>
let made = 0
let folder: ReturnType<typeof tempDir>
let command: Command

beforeAll(async () => {
  storage = await createStorage()
  server = await startServerProcess(environmentOf(storage))
  const seeded = await fetch(`${server.url}/v1/admin/seed`, { method: 'POST' })
  ;({ tokens } = (await seeded.json()) as { tokens: Record<string, string> })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await storage.remove()
})

beforeEach(() => {
  made += 1
  folder = tempDir('ingest-command')
  command = { url: server.url, token: tokens.admin ?? '', scope: `harbor/files-${made}`, cwd: folder.path }
  return () => folder.remove()
})

function put(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    const at = join(folder.path, path)
    mkdirSync(dirname(at), { recursive: true })
    writeFileSync(at, text)
  }
}

interface Page {
  units: { docId: string; text: string }[]
  nextCursor: number | null
}

async function page(cursor: number): Promise<Page> {
  const query = 'query ($cursor: SafeInt) { units(cursor: $cursor) { units { docId text } nextCursor } }'
  const response = await fetch(`${command.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokens.admin}`,
      'x-svc-scope': command.scope,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query, variables: { cursor } }),
  })
  const { data } = (await response.json()) as { data: { units: Page } }
  return data.units
}

/** docId and text of each Unit of the scope. */
async function units(): Promise<string[]> {
  const found: string[] = []
  for (let cursor: number | null = 0; cursor !== null; ) {
    const { units, nextCursor } = await page(cursor)
    found.push(...units.map(({ docId, text }) => `${docId}: ${text}`))
    cursor = nextCursor
  }
  return found.sort()
}

const last = (stdout: string) => stdout.trimEnd().split('\n').at(-1)

test('a folder is taken in once, and only what failed is tried again', async () => {
  const good = Object.fromEntries(
    Array.from({ length: 24 }, (_, i) => [`notes/${i}.md`, `# Note ${i}\n\nBoat ${i}.\n`]),
  )
  put({ ...good, 'notes/bad.pdf': '%PDF-1.7\nnothing' })
  const first = await ingest(command, 'notes', '--metadata', 'year=2026')
  expect(first).toMatchObject({ code: 1, stderr: '' })
  expect(first.stdout).toContain('\nfailed notes/bad.pdf malformed')
  expect(last(first.stdout)).toBe('25 files: 24 ok, 0 unchanged, 1 failed, 0 skipped, 0 deleted; 24 Units')
  const before = await units()
  expect(before.length).toBe(24)

  const second = await ingest(command, 'notes', '--metadata', 'year=2026', '--json')
  expect(JSON.parse(second.stdout)).toEqual({
    ...{ files: 25, ok: 0, unchanged: 24, failed: 1, skipped: 0, deleted: 0, units: 24 },
    took_ms: expect.any(Number),
  })
  expect(second).toMatchObject({ code: 1, stderr: expect.stringMatching(/^failed notes\/bad\.pdf malformed/) })
  expect(await units()).toEqual(before)

  rmSync(join(folder.path, 'ingest-ledger.ndjson'))
  put({ 'notes/bad.pdf': '', 'notes/7.md': '# Note 7\n\nAnother boat.\n' })
  const third = await ingest(command, 'notes', '--metadata', 'year=2026')
  expect(last(third.stdout)).toBe('25 files: 1 ok, 23 unchanged, 0 failed, 1 skipped, 0 deleted; 24 Units')
  expect(third.code).toBe(0)
  expect(ledgerOf(command).length).toBe(25)
})

test('what is skipped has a line, and links are not followed', async () => {
  put({
    'n/a.md': 'Tar.',
    'n/empty.md': '',
    'n/x.exe': 'MZ\u0090\u0000\u0003\u0000\u0000\u0000',
    'secret.md': 'A secret.',
  })
  symlinkSync(join(folder.path, 'secret.md'), join(folder.path, 'n/link.md'))
  symlinkSync('/etc', join(folder.path, 'n/etc'))
  const { stdout, code } = await ingest(command, 'n', '--groups', '*')
  expect(code).toBe(0)
  expect(stdout.trimEnd().split('\n').sort()).toEqual([
    '5 files: 1 ok, 0 unchanged, 0 failed, 4 skipped, 0 deleted; 1 Units',
    'ok n/a.md 1 Units',
    'skipped n/empty.md empty',
    'skipped n/etc symlink',
    'skipped n/link.md symlink',
    'skipped n/x.exe unsupported',
  ])
  expect(await units()).toEqual(['n/a.md: Tar.'])
  expect(Object.keys(ledgerOf(command)[0] ?? {})).toEqual([
    ...['file', 'doc_id', 'document_id', 'scope', 'status', 'reason', 'detail', 'units', 'bytes', 'sha256', 'time'],
  ])
})

test('other groups and metadata change Units in place, and a dry run changes nothing', async () => {
  put({ 'n/a.md': 'Tar.', 'n/b.md': 'Rope.' })
  await ingest(command, 'n')
  put({ 'n/b.md': 'Rope and chain.', 'n/c.md': 'Sail.' })
  const lines = async (...args: string[]) => (await ingest(command, 'n', ...args)).stdout.trimEnd().split('\n')
  expect(await lines('--dry-run')).toEqual(['unchanged n/a.md', 'changed n/b.md', 'new n/c.md'])
  rmSync(join(folder.path, 'n/a.md'))
  expect(await lines('--dry-run', '--delete-missing')).toEqual(['changed n/b.md', 'new n/c.md', 'missing n/a.md'])
  put({ 'n/a.md': 'Tar.' })
  expect(await units()).toEqual(['n/a.md: Tar.', 'n/b.md: Rope.'])
  expect(ledgerOf(command).length).toBe(2)
  expect((await lines('--groups', 'general')).slice(-1)).toEqual([
    '3 files: 3 ok, 0 unchanged, 0 failed, 0 skipped, 0 deleted; 3 Units',
  ])
  expect((await lines('--groups', 'general')).slice(-1)).toEqual([
    '3 files: 0 ok, 3 unchanged, 0 failed, 0 skipped, 0 deleted; 3 Units',
  ])
  expect(await units()).toEqual(['n/a.md: Tar.', 'n/b.md: Rope and chain.', 'n/c.md: Sail.'])
})

test('documents without a file are deleted, unless the folder holds none', async () => {
  put({ 'n/a.md': 'Tar.', 'n/b.md': 'Rope.', 'n/c.md': 'Sail.', 'other/d.md': 'Mast.', 'n/.ingestignore': '' })
  await ingest(command, 'n', 'other')
  rmSync(join(folder.path, 'n/a.md'))
  rmSync(join(folder.path, 'other/d.md'))
  put({ 'n/.ingestignore': 'b.md' })
  const { stdout, stderr, code } = await ingest(command, 'n', 'other', '--delete-missing', '--hard')
  expect({ code, lines: stdout.trimEnd().split('\n') }).toEqual({
    code: 1,
    lines: [
      'unchanged n/c.md 1 Units',
      'deleted n/a.md',
      '2 files: 0 ok, 1 unchanged, 0 failed, 0 skipped, 1 deleted; 1 Units',
    ],
  })
  expect(stderr).toMatch(/other holds no file: nothing of it is deleted/)
  expect(await units()).toEqual(['n/b.md: Rope.', 'n/c.md: Sail.', 'other/d.md: Mast.'])
})

test('the text beside a picture goes with it, and changes it', async () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  put({ 'n/crane.txt': 'A crane lifts a boat.' })
  writeFileSync(join(folder.path, 'n/crane.png'), png)
  const summary = async () => last((await ingest(command, 'n')).stdout)
  expect(await summary()).toBe('1 files: 1 ok, 0 unchanged, 0 failed, 0 skipped, 0 deleted; 1 Units')
  expect((await units()).join()).toContain('A crane lifts a boat.')
  expect(await summary()).toBe('1 files: 0 ok, 1 unchanged, 0 failed, 0 skipped, 0 deleted; 1 Units')
  put({ 'n/crane.txt': 'A crane drops a boat.' })
  expect(await summary()).toBe('1 files: 1 ok, 0 unchanged, 0 failed, 0 skipped, 0 deleted; 1 Units')
  expect((await units()).join()).toContain('A crane drops a boat.')
})

test('nothing is begun without a PATH, a token or a service', async () => {
  put({ 'n/a.md': 'Tar.', 'm/n/a.md': 'Tar.' })
  const ended = async (changed: Partial<Command>, ...args: string[]) => {
    const { code, stdout, stderr } = await ingest({ ...command, ...changed }, ...args)
    expect(stdout).toBe('')
    return `${code} ${stderr}`
  }
  expect(await ended({}, 'nowhere')).toMatch(/^2 ingest: PATH .*nowhere: no such file/)
  expect(await ended({}, 'n', 'm/n')).toMatch(/^2 ingest: two files are n\/a\.md/)
  expect(await ended({ token: 'svc_sk_wrong' }, 'n')).toMatch(/^2 ingest: /)
  expect(await ended({ token: tokens.readonly ?? '' }, 'n')).toMatch(/^2 ingest: /)
  expect(await ended({ token: '' }, 'n')).toMatch(/^2 ingest: a token is needed/)
  expect(await ended({ url: 'http://127.0.0.1:1' }, 'n')).toMatch(/^2 ingest: http:\/\/127\.0\.0\.1:1: /)
  expect(await units()).toEqual([])
})

test('faults that pass do not stop it', async () => {
  put(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`n/${i}.md`, `Note ${i} of the pilot.`])))
  // Not every second request: an upload is two that are tried again together, after longer and longer pauses.
  const faults = [408, 425, 429, 502, 503, 504, 'reset', 'cut', 'cut', 408] as const
  await using proxy = await startFlakyProxy(server.url, faults, 3)
  const { code, stdout } = await ingest({ ...command, url: proxy.url }, 'n', '--concurrency', '1')
  expect(proxy.left).toEqual([])
  expect(last(stdout)).toBe('12 files: 12 ok, 0 unchanged, 0 failed, 0 skipped, 0 deleted; 12 Units')
  expect(code).toBe(0)
  expect(await units()).toHaveLength(12)
})

test('--watch takes in what changes until it is interrupted', async () => {
  put({ 'n/a.md': 'Tar.' })
  const { child, ended } = startIngest(command, 'n', '--watch', '--delete-missing')
  const until = (texts: string[]) => expect.poll(units, { interval: 200 }).toEqual(texts)
  await until(['n/a.md: Tar.'])
  put({ 'n/b.md': 'Rope.' })
  await until(['n/a.md: Tar.', 'n/b.md: Rope.'])
  put({ 'n/b.md': 'Rope and chain.' })
  await until(['n/a.md: Tar.', 'n/b.md: Rope and chain.'])
  rmSync(join(folder.path, 'n/a.md'))
  await until(['n/b.md: Rope and chain.'])
  child.kill('SIGINT')
  const { code, stdout } = await ended
  expect({ code, summary: last(stdout) }).toEqual({
    code: 0,
    summary: '4 files: 3 ok, 0 unchanged, 0 failed, 0 skipped, 1 deleted; 3 Units',
  })
})
