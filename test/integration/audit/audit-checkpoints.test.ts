import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type AuditRow, auditHash } from '../../../src/model/audit.ts'
import { formatCheckpoint } from '../../../src/model/checkpoint.ts'
import { privateKeyOf, signNote } from '../../../src/model/signed-note.ts'
import { boot, superAdminToken } from '../../support/boot.ts'
import { bootTampered, type TamperedApp } from '../../support/database/tampered-log.ts'

const length = 40
/** Log sizes at which a checkpoint is signed. */
const signedAt = [10, 25, length]
let tampered: TamperedApp
let chain: string
let anchorFile: string
let anchored: string
beforeAll(async () => {
  tampered = await bootTampered()
  chain = await tampered.log('signed', 0)
  for (const size of signedAt) {
    await tampered.extend(chain, size)
    expect((await checkpoint()).body.size).toBe(size)
  }
  for (const table of ['audit_row', 'audit_node', 'audit_checkpoint', 'head']) {
    await tampered.sql(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
    await tampered.sql(`CREATE TABLE kept_${table} AS TABLE ${table}`)
  }
  anchorFile = join(tampered.app.storage.dataDir, 'anchors', `${chain}.ndjson`)
  anchored = readFileSync(anchorFile, 'utf8')
})
afterAll(() => tampered.app.close())

afterEach(async () => {
  for (const table of ['audit_row', 'audit_node', 'audit_checkpoint', 'head']) {
    await tampered.sql(`DELETE FROM ${table}`)
    await tampered.sql(`INSERT INTO ${table} TABLE kept_${table}`)
  }
  writeFileSync(anchorFile, anchored)
  expect(await tampered.verify('signed')).toMatchObject({ intact: true, checked: length })
})

const checkpoint = () =>
  tampered.app.call('GET', '/v1/audit/checkpoint', { token: superAdminToken, namespace: 'signed' })
const noAnchor = () => writeFileSync(anchorFile, '')
const noCheckpoints = () => tampered.sql('DELETE FROM audit_checkpoint WHERE namespace_id = $1', chain)

/** Resets the log to its first `size` rows, as a restored backup would: rows, head and checkpoints. */
async function setBack(size: number): Promise<void> {
  await tampered.sql('DELETE FROM audit_row WHERE namespace_id = $1 AND seq > $2', chain, size)
  await tampered.sql('DELETE FROM audit_checkpoint WHERE namespace_id = $1 AND size > $2', chain, size)
  await tampered.sql(
    `UPDATE head SET audit_seq = $2, audit_hash = (SELECT hash FROM audit_row WHERE namespace_id = $1 AND seq = $2)
     WHERE namespace_id = $1`,
    chain,
    size,
  )
}

/** Changes a row and recomputes every later hash and the head: a consistent chain. */
async function writeAnew(from: number): Promise<void> {
  const rows = await tampered.catalog.audit.between(
    { id: chain, name: 'signed', tier: 'enterprise' },
    0,
    length,
    length,
  )
  let prevHash = rows[from - 2]?.hash ?? '0'.repeat(64)
  for (const row of rows.slice(from - 1)) {
    const forged: Omit<AuditRow, 'hash'> = {
      ...row,
      prevHash,
      ...(row.seq === from ? { principalId: 'someone-else' } : {}),
    }
    prevHash = auditHash(forged)
    await tampered.sql(
      'UPDATE audit_row SET principal_id = $3, prev_hash = $4, hash = $5 WHERE namespace_id = $1 AND seq = $2',
      chain,
      row.seq,
      forged.principalId,
      forged.prevHash,
      prevHash,
    )
  }
  await tampered.sql('UPDATE head SET audit_hash = $2 WHERE namespace_id = $1', chain, prevHash)
}

const broken = (breakAt: number, reason: string) => ({
  intact: false,
  break_at: breakAt,
  reason: expect.stringContaining(reason),
})

test.each([39, 30, 25, 24, 1])('a tail cut after row %i together with the head row is found', async (size) => {
  await setBack(size)
  expect(await tampered.verify('signed')).toMatchObject({
    ...broken(size + 1, `row ${size + 1} is missing: a checkpoint of ${length} rows was signed`),
    checked: size,
  })
  const { status, body } = await checkpoint()
  expect([status, body.error]).toEqual([503, 'audit_inconsistent'])
})

test('so is one of a catalog whose anchor is gone too, as long as a checkpoint is left', async () => {
  await tampered.sql('DELETE FROM audit_row WHERE namespace_id = $1 AND seq > 30', chain)
  await tampered.sql(
    `UPDATE head SET audit_seq = 30, audit_hash = (SELECT hash FROM audit_row WHERE namespace_id = $1 AND seq = 30)
     WHERE namespace_id = $1`,
    chain,
  )
  noAnchor()
  expect(await tampered.verify('signed')).toMatchObject(broken(31, 'row 31 is missing'))
})

test.each([
  [1, 1, 10],
  [10, 1, 10],
  [11, 11, 25],
  [26, 26, 40],
  [40, 26, 40],
])('a chain written again from row %i is not the one that was signed', async (from, breakAt, size) => {
  await writeAnew(from)
  const reason = `rows ${breakAt} to ${size} are not those that the checkpoint of ${size} rows was signed for`
  for (const forget of [async () => {}, noCheckpoints]) {
    await forget()
    expect(await tampered.verify('signed')).toMatchObject(broken(breakAt, reason))
  }
})

test('an old backup that was written on is found, and nothing is signed on top of it', async () => {
  await setBack(25)
  await tampered.extend(chain, length + 5, 'another past')
  const reason = `rows 26 to ${length} are not those that the checkpoint of ${length} rows was signed for`
  expect(await tampered.verify('signed')).toMatchObject(broken(26, reason))
  expect((await checkpoint()).body).toMatchObject({ error: 'audit_inconsistent', status: 503 })
})

test('an old backup is noticed at the next start', async () => {
  await setBack(25)
  const lines: string[] = []
  const log = { info: () => {}, warn: () => {}, error: (...line: unknown[]) => lines.push(JSON.stringify(line)) }
  const { storage, runtime } = tampered.app
  const again = await boot({
    storage,
    bindings: { catalog: { ...runtime.bindings.catalog, close: async () => {} }, log },
  })
  await expect.poll(() => lines.join()).toContain('the catalog was set back')
  expect(lines.join()).toContain(`"rows":25,"anchored":${length}`)
  await again.close({ keep: true })
})

test.each([
  ['root', `root = decode(repeat('00', 32), 'hex')`],
  ['size, to more rows', 'size = 41'],
  ['size, to fewer rows', 'size = 39'],
  ['note', `note = replace(note, E'\\n40\\n', E'\\n39\\n')`],
])('a checkpoint whose %s was changed is found', async (_, assignment) => {
  await tampered.sql(`UPDATE audit_checkpoint SET ${assignment} WHERE namespace_id = $1 AND size = 40`, chain)
  expect(await tampered.verify('signed')).toMatchObject({ intact: false })
})

test('a checkpoint that someone else signed is found, wherever it is kept', async () => {
  const { body } = await checkpoint()
  const forger = { name: body.origin, privateKey: privateKeyOf(Buffer.alloc(32, 9)) }
  const root = Buffer.from(body.root_hash, 'base64')
  const note = signNote(formatCheckpoint({ origin: body.origin, size: length, root }), forger)
  const reason = `the checkpoint of ${length} rows was not signed by this service`
  await tampered.sql('UPDATE audit_checkpoint SET note = $2 WHERE namespace_id = $1 AND size = 40', chain, note)
  expect(await tampered.verify('signed')).toMatchObject(broken(length, reason))
  await tampered.sql('UPDATE audit_checkpoint SET note = $2 WHERE namespace_id = $1 AND size = 40', chain, body.note)
  writeFileSync(anchorFile, `${JSON.stringify({ namespace_id: chain, size: length, time: 1, note })}\n`)
  expect(await tampered.verify('signed')).toMatchObject(broken(length, reason))
})

test('a tree that was tampered with proves nothing', async () => {
  const long = await tampered.log('longer', 300)
  const get = (path: string) => tampered.app.call('GET', path, { token: superAdminToken, namespace: 'longer' })
  expect((await get('/v1/audit/proof?seq=280')).status).toBe(200)
  await tampered.sql(`UPDATE audit_node SET hash = decode(repeat('00', 32), 'hex') WHERE namespace_id = $1`, long)
  expect((await get('/v1/audit/proof?seq=280')).body.error).toBe('audit_inconsistent')
})

test('an anchor that fails holds nothing up, and gets what it missed', async () => {
  const { runtime, storage } = tampered.app
  let failing = true
  const kept: number[] = []
  const anchor = {
    ...runtime.bindings.anchor,
    append: async (checkpoint: { size: number }) => {
      if (failing) throw new Error('the anchor is away')
      kept.push(checkpoint.size)
    },
  }
  const catalog = { ...runtime.bindings.catalog, close: async () => {} }
  const app = await boot({ storage, bindings: { catalog, anchor } })
  const token = await app.principal({ id: 'anchored', namespace: 'anchored' })
  await app.call('POST', '/v1/scopes', { token, body: { scope: 'one' } })
  expect((await app.call('GET', '/v1/audit/checkpoint', { token })).body.size).toBe(1)
  expect(kept).toEqual([])
  failing = false
  await app.close({ keep: true })
  expect(kept).toContain(1)
})
