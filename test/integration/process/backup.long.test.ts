import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { atNight } from '../../support/amounts.ts'
import { expectSoundCatalog, withCatalogRows } from '../../support/database/catalog-rows.ts'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { runProgram } from '../../support/process/run-program.ts'
import { environmentOf, type ServerProcess, startServerProcess } from '../../support/process/server-process.ts'
import { canMount, mountTmpfs } from '../../support/process/tmpfs.ts'
import { tempDir } from '../../support/temp-dir.ts'

/** Most of the time is process starts, which are slow on a busy machine. */
const timeout = 300_000

let storage: TestStorage
let server: ServerProcess
let token: string
let folder: ReturnType<typeof tempDir>
beforeAll(async () => {
  storage = await createStorage({ embedded: true })
  folder = tempDir('backup')
  server = await startServerProcess(environmentOf(storage))
  const seeded = await fetch(`${server.url}/v1/admin/seed`, { method: 'POST' })
  token = (await seeded.json()).tokens.admin
}, timeout)
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await storage.remove()
  folder.remove()
})

const run = (...args: string[]) => runProgram({ args, env: { DATA_DIR: storage.dataDir } })
const to = () => join(folder.path, 'to')

async function backUp(...flags: string[]) {
  const ran = await run('backup', to(), '--json', ...flags)
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  return JSON.parse(ran.stdout)
}

const textOf = (n: number) =>
  `note ${n}: ${Array.from({ length: 40 }, (_, i) => ((n * 7919 + i * 104_729) % 99_991).toString(36)).join(' ')}`

/** Sends Units of these numbers; resolves when the service has acknowledged them. */
async function ingest(first: number, count: number, version = 1): Promise<void> {
  const units = Array.from({ length: count }, (_, i) => ({
    external_id: `n${first + i}`,
    text: `${textOf(first + i)} version ${version}`,
    plane: 'text',
  }))
  const response = await fetch(`${server.url}/v1/ingest`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'x-svc-scope': 'backup/test', 'content-type': 'application/json' },
    body: JSON.stringify({ units }),
  })
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('indexed')])
}

const externalIds = (dataDir: string) =>
  withCatalogRows({ catalog: { kind: 'pglite', dataDir } }, (sql) =>
    sql<{ id: string }>(`SELECT external_id AS id FROM unit WHERE state = 'live' AND external_id LIKE 'n%'`),
  )

const objectsIn = (path: string) =>
  readdirSync(join(path, 'objects')).flatMap((name) =>
    readdirSync(join(path, 'objects', name)).map((file) => join(path, 'objects', name, file)),
  )

it('takes one moment while the service writes, which restores as a sound catalog', { timeout }, async () => {
  await ingest(0, 200)
  let sent = 200
  let writing = true
  const writers = (async () => {
    for (; writing; sent += 20) await ingest(sent, 20)
  })()
  const before = sent
  const snapshot = await backUp()
  writing = false
  await writers
  expect(snapshot).toMatchObject({ keys: true, service_version: expect.any(String), added_bytes: snapshot.bytes })
  expect(snapshot.counts.units).toBeGreaterThanOrEqual(100 + before)

  const restored = join(folder.path, 'restored')
  expect(await run('restore', to(), '--data-dir', restored)).toMatchObject({ code: 0, stderr: '' })
  expect(readdirSync(restored).sort()).toEqual(expect.arrayContaining(['catalog', 'objects', 'secrets']))
  await expectSoundCatalog({ catalog: { kind: 'pglite', dataDir: restored } })
  const found = new Set((await externalIds(restored)).map(({ id }) => id))
  // Batches are whole: everything acknowledged before, and perhaps later ones.
  expect(found.size % 20).toBe(0)
  for (let n = 0; n < before; n += 1) expect(found).toContain(`n${n}`)

  const again = await run('restore', to(), '--data-dir', restored)
  expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is not empty') })
})

it('takes little more after one per cent of the Units changed', { timeout }, async () => {
  // By day those of the test before: the more there are, the less is one per cent of all that is kept.
  const units = atNight ? 2000 : 200
  if (atNight) for (let n = 0; n < units; n += 250) await ingest(n, 250, 2)
  const stored = () => objectsIn(to()).reduce((sum, file) => sum + statSync(file).size, 0)
  const first = await backUp()
  const before = stored()
  for (let n = 0; n < units / 100; n += 1) await ingest((n * 97) % units, 1, 3)
  const second = await backUp()
  expect(second.added_bytes).toBeGreaterThan(0)
  expect(second.added_bytes).toBeLessThanOrEqual(Math.min(first.bytes * 0.2, 4 * 2 ** 20))
  expect(stored()).toBe(before + second.added_bytes)

  const kept = await backUp('--keep', '1')
  expect(readdirSync(join(to(), 'snapshots'))).toEqual([`${kept.id}.json`])
  expect(stored()).toBe(kept.bytes)
  expect(await run('restore', to(), '--verify')).toMatchObject({ code: 0, stderr: '' })
})

it('survives the end of the command: the service continues, and the next one is whole', { timeout }, async () => {
  const program = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))
  const snapshots = () => readdirSync(join(to(), 'snapshots')).sort()
  for (const ms of atNight ? [900, 1500, 2500] : [1500]) {
    const had = snapshots()
    const child = spawn(process.execPath, ['--', program, 'backup', to(), '--data-dir', storage.dataDir])
    // On a fast machine it may be done before it is killed.
    const closed = once(child, 'close')
    await sleep(ms)
    child.kill('SIGKILL')
    await closed
    // It appears as a whole, if it was quicker than that.
    expect(snapshots().slice(0, had.length)).toEqual(had)
    await ingest(5000 + ms, 20)
  }
  const snapshot = await backUp()
  expect(snapshots().at(-1)).toBe(`${snapshot.id}.json`)
  expect(await run('restore', to(), '--verify')).toMatchObject({ code: 0, stderr: '' })
})

it('leaves the keys out, and works while the service is stopped', { timeout }, async () => {
  server.kill('SIGTERM')
  await server.exited
  const snapshot = await backUp('--without-keys')
  expect(snapshot.keys).toBe(false)
  const restored = join(folder.path, 'without-keys')
  const ran = await run('restore', to(), '--data-dir', restored)
  expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('the audit logs do not verify at first') })
  expect(existsSync(join(restored, 'secrets'))).toBe(false)
  // Settings that have the key need no word.
  const seed = Buffer.from(readFileSync(join(storage.dataDir, 'secrets', 'audit-signing-key'), 'utf8'), 'base64url')
  const env = { AUDIT_SIGNING_KEY: seed.toString('base64') }
  const keyed = join(folder.path, 'with-old-key')
  expect(await runProgram({ args: ['restore', to(), '--data-dir', keyed], env })).toMatchObject({ code: 0, stderr: '' })
  server = await startServerProcess(
    environmentOf({ ...storage, dataDir: restored, catalog: { kind: 'pglite', dataDir: restored } }),
  )
  const ask = async (path: string) => {
    const headers = { authorization: `Bearer ${token}`, 'x-svc-namespace': 'demo' }
    return (await fetch(`${server.url}${path}`, { headers })).json()
  }
  // As the command said: until there is a row that the new key can sign.
  expect(await ask('/v1/audit/verify')).toMatchObject({
    intact: false,
    reason: expect.stringMatching(/^the checkpoint of \d+ rows was not signed by this service$/),
  })
  await ingest(9000, 20)
  const query = encodeURIComponent('{ auditCheckpoint { size } }')
  expect(await ask(`/graphql?query=${query}`)).toMatchObject({
    data: { auditCheckpoint: { size: expect.any(Number) } },
  })
  expect(await ask('/v1/audit/verify')).toMatchObject({ intact: true, reason: null })
})

it('refuses what is damaged, foreign or newer, and names it', { timeout }, async () => {
  const target = join(folder.path, 'never')
  const refused = async (message: string) => {
    const ran = await run('restore', to(), '--data-dir', target)
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) })
    expect(ran.stderr.trim().split('\n')).toHaveLength(1)
    expect(existsSync(target)).toBe(false)
  }
  const newest = join(to(), 'snapshots', readdirSync(join(to(), 'snapshots')).sort().at(-1) ?? '')
  const text = readFileSync(newest, 'utf8')
  const [{ sha256 = '' } = {}] = JSON.parse(text).objects
  const object = join(to(), 'objects', sha256.slice(0, 2), sha256)
  const content = readFileSync(object)

  const changed = Buffer.from(content)
  changed[100] = (changed[100] ?? 0) ^ 1
  writeFileSync(object, changed)
  await refused(sha256)
  truncateSync(object, 50)
  await refused(sha256)
  writeFileSync(object, content)

  writeFileSync(newest, text.replace('"units":', '"units":1'))
  await refused('is damaged')
  writeFileSync(newest, text)

  const format = readFileSync(join(to(), 'backup.json'))
  writeFileSync(join(to(), 'backup.json'), '{"format": "multimodal-retrieval-backup", "version": 2}')
  await refused('format 2')
  writeFileSync(join(to(), 'backup.json'), format)
  expect(await run('restore', folder.path, '--data-dir', target)).toMatchObject({ code: 1, stdout: '' })
  expect(await run('backup', storage.dataDir)).toMatchObject({ code: 2, stdout: '' })
  expect(await run('backup', folder.path)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not a backup'),
  })
  const onServer = await runProgram({ args: ['backup', to()], env: { DATABASE_URL: 'postgres://localhost/x' } })
  expect(onServer).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('docs/backup.md') })
})

it.skipIf(!canMount)('says that a disk is read-only (needs the right to mount)', { timeout }, async () => {
  await using disk = mountTmpfs('64k')
  execFileSync('mount', ['-o', 'remount,ro', disk.path])
  const target = join(disk.path, 'new')
  const [backedUp, restored] = [await run('backup', target), await run('restore', to(), '--data-dir', target)]
  expect([backedUp.code, backedUp.stderr]).toEqual([2, `backup: ${target}: read-only file system\n`])
  expect([restored.code, restored.stderr]).toEqual([2, expect.stringMatching(/^restore: .*: read-only file system\n$/)])
})
