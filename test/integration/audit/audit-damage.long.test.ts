import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { parseCheckpoint } from '../../../src/model/checkpoint.ts'
import { provesConsistency, provesInclusion } from '../../../src/model/merkle.ts'
import { openNote, parseVerifier } from '../../../src/model/signed-note.ts'
import { atNight } from '../../support/amounts.ts'
import { superAdminToken } from '../../support/boot.ts'
import { bootTampered, type TamperedApp } from '../../support/database/tampered-log.ts'

/** The log stores hashes of subtrees of 256 rows: two, and their parent; the third is complete but not signed. */
const signedAt = [100, 300, 560]
const length = 800
/**
 * Before, at, between and after checkpoints, and at the head. The short run: before the first, at the last, after it.
 */
const places = atNight ? [50, 300, 400, 560, 561, 700, length] : [50, 560, length]
/** By day each change is at one of them in turn. */
const placesOf = (change: number) => (atNight ? places : [places[change % places.length] ?? length])

let tampered: TamperedApp
let log: string
let deletion: number
let anchorFile: string
let anchored: string
const tables = ['audit_row', 'audit_node', 'audit_checkpoint', 'head']
const caller = { token: superAdminToken, namespace: 'damaged' }
const get = (path: string) => tampered.app.call('GET', `/v1/audit/${path}`, caller)

beforeAll(async () => {
  tampered = await bootTampered()
  log = await tampered.log('damaged', 20)
  await tampered.log('elsewhere', 0)
  deletion = await removeForGood()
  for (const size of signedAt) {
    await tampered.extend(log, size)
    expect((await get('checkpoint')).body.size).toBe(size)
  }
  await tampered.extend(log, length)
  for (const table of tables) {
    await tampered.sql(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
    await tampered.sql(`CREATE TABLE kept_${table} AS TABLE ${table}`)
  }
  anchorFile = join(tampered.app.storage.dataDir, 'anchors', `${log}.ndjson`)
  anchored = readFileSync(anchorFile, 'utf8')
})
afterAll(() => tampered.app.close())

async function restore(): Promise<void> {
  for (const table of tables) {
    await tampered.sql(`DELETE FROM ${table}`)
    await tampered.sql(`INSERT INTO ${table} TABLE kept_${table}`)
  }
  writeFileSync(anchorFile, anchored)
}
afterEach(restore)

async function removeForGood(): Promise<number> {
  const { app } = tampered
  await app.call('POST', '/v1/scopes', { ...caller, body: { scope: 'bin' } })
  const units = [{ text: 'goes', scope: 'bin' }]
  const { body } = await app.call('POST', '/v1/ingest', { ...caller, scope: 'bin', body: { units } })
  const ids = [body.units[0].unit_id]
  return (await app.call('POST', '/v1/units:delete', { ...caller, scope: 'bin', body: { ids, hard: true } })).body.seq
}

const receipt = async () => {
  const query =
    'query ($seq: SafeInt!) { deletionReceipt(seq: $seq) { rows { row { seq } proof { leafHash hashes size checkpoint { note verifierKey } } } } }'
  return (await tampered.app.graphql(query, { seq: deletion }, caller)).body
}

/** All requests for a signature or a proof; `seq` is the row under test. */
const claims = (seq: number) => [
  'checkpoint',
  'checkpoint?size=300',
  'proof?seq=1',
  `proof?seq=${seq}`,
  `proof?seq=${Math.min(seq, 300)}&size=300`,
  'proof?from=100',
]

const notIntact = { error: 'audit_inconsistent', status: 503 }

/** Checks that verification reports damage, and that the service signs and proves nothing. */
async function expectRefused(seq: number, what: string): Promise<void> {
  const report = await tampered.verify('damaged')
  expect(report, what).toMatchObject({ intact: false, break_at: expect.any(Number), reason: expect.any(String) })
  for (const claim of claims(seq)) {
    const { status, body } = await get(claim)
    if (status !== 404) expect(body, `${claim}: ${what}`).toMatchObject(notIntact)
  }
  const { errors } = await receipt()
  expect(['audit_inconsistent', 'not_found'], what).toContain(errors?.[0].extensions.code)
}

const inRow = (seq: number, assignment: string) =>
  tampered.sql(`UPDATE audit_row SET ${assignment} WHERE namespace_id = $1 AND seq = $2`, log, seq)

describe('a row', () => {
  const elsewhere = `namespace_id = (SELECT id FROM namespace WHERE name = 'elsewhere')`
  const changes: Record<string, string> = {
    'namespace_id to another log': elsewhere,
    'seq, to the end': `seq = ${length} + seq`,
    'seq, to the front': 'seq = -seq',
    time: 'time = time + 1',
    principal_id: `principal_id = principal_id || 'x'`,
    action: `action = 'units.delete'`,
    target: `target = coalesce(target, '') || 'x'`,
    outcome: `outcome = 'forbidden'`,
    request_id: `request_id = 'r'`,
    'detail, a value': `detail = (detail::jsonb || '{"units": 0}')::json`,
    'detail, not an object': `detail = 'null'`,
    'detail, a number beyond all': `detail = (detail::jsonb || '{"half": 1e400}')::json`,
    'detail, a seq that is not a number': `detail = '{"hard":true,"seq":"x"}', action = 'units.delete'`,
    'detail, the same with blanks': `detail = replace(detail::text, ',', ', ')::json`,
    'detail, the same in another order': `detail = ('{"units":' || (detail->>'units') || ',"none":null,"note":' || (detail->'note')::text || ',"half":' || (detail->>'half') || ',"hard":' || (detail->>'hard') || '}')::json`,
    'detail, the same number': `detail = replace(detail::text, '"units":' || seq, '"units":' || seq || '.0')::json`,
    'detail, the same letter': `detail = replace(detail::text, 'note', E'n\\\\u006fte')::json`,
    prev_hash: `prev_hash = reverse(prev_hash) || '0'`,
    hash: 'hash = reverse(hash)',
    'hash, in capitals': 'hash = upper(hash)',
  }
  const all = Object.entries(changes).map(([name, assignment], i) => [name, assignment, placesOf(i)] as const)
  test.each(all)('whose %s was changed', { timeout: 300_000 }, async (name, assignment, places) => {
    for (const seq of places) {
      expect(await inRow(seq, assignment), name).toBe(1)
      await expectRefused(seq, `${name} of row ${seq}`)
      await restore()
    }
  })

  test('that was removed', { timeout: 300_000 }, async () => {
    for (const seq of places) {
      await tampered.sql('DELETE FROM audit_row WHERE namespace_id = $1 AND seq = $2', log, seq)
      await expectRefused(seq, `row ${seq} is gone`)
      await restore()
    }
  })

  test('that was added behind the head', async () => {
    await tampered.sql(
      `INSERT INTO audit_row SELECT namespace_id, ${length + 1}, time, principal_id, action, target, outcome, request_id,
         detail, hash, hash FROM kept_audit_row WHERE namespace_id = $1 AND seq = ${length}`,
      log,
    )
    await expectRefused(length, 'a row too many')
  })
})

describe('the head row', () => {
  test.each([
    'audit_seq = 799',
    'audit_seq = 801',
    'audit_seq = 560',
    'audit_seq = 300',
    'audit_seq = 0',
    'audit_hash = reverse(audit_hash)',
    'audit_hash = upper(audit_hash)',
  ])('with %s', async (assignment) => {
    await tampered.sql(`UPDATE head SET ${assignment} WHERE namespace_id = $1`, log)
    await expectRefused(700, assignment)
  })

  test('that was removed', async () => {
    await tampered.sql('DELETE FROM head WHERE namespace_id = $1', log)
    await expectRefused(700, 'no head')
  })
})

describe('a kept subtree', () => {
  const nodes = [
    [8, 0],
    [8, 1],
    [9, 0],
  ] as const
  const changes = {
    'hash was changed': `hash = decode(repeat('00', 32), 'hex')`,
    'hash was cut': `hash = decode('00', 'hex')`,
    'namespace_id was changed': `namespace_id = (SELECT id FROM namespace WHERE name = 'elsewhere')`,
    'level was changed': 'level = level + 5',
    'index was changed': 'index = index + 10',
    'index was made negative': 'index = -1 - index',
  }
  for (const [level, index] of nodes) {
    const where = `WHERE namespace_id = $1 AND level = ${level} AND index = ${index}`
    test.each(Object.entries(changes))(`(${level}, ${index}) whose %s`, async (name, assignment) => {
      expect(await tampered.sql(`UPDATE audit_node SET ${assignment} ${where}`, log)).toBe(1)
      await expectRefused(index * 2 ** level + 1, name)
    })
    test(`(${level}, ${index}) that was removed`, async () => {
      expect(await tampered.sql(`DELETE FROM audit_node ${where}`, log)).toBe(1)
      await expectRefused(index * 2 ** level + 1, 'removed')
    })
  }
  test.each([
    [8, 2],
    [8, 3],
    [10, 0],
    [3, 0],
    [60, 0],
    [8, -1],
  ])('(%i, %i) that was added', async (level, index) => {
    const hash = `decode(repeat('ab', 32), 'hex')`
    await tampered.sql(
      `INSERT INTO audit_node (namespace_id, level, index, hash) VALUES ($1, ${level}, ${index}, ${hash})`,
      log,
    )
    await expectRefused(700, 'added')
  })
})

describe('a kept checkpoint', () => {
  const changes = {
    root: `root = decode(repeat('00', 32), 'hex')`,
    'size, to more': 'size = size + 1',
    'size, to more than there are': 'size = size + 1000',
    'size, to fewer': 'size = size - 1',
    'size, below zero': 'size = -size',
    'note, another size': `note = replace(note, E'\\n' || size || E'\\n', E'\\n' || (size - 1) || E'\\n')`,
    'note, another log': `note = replace(note, 'audit/damaged', 'audit/elsewhere')`,
    'note, a signature': `note = regexp_replace(note, '.{10}\\n$', E'AAAAAAAAAA\\n')`,
    'note, no signature': `note = split_part(note, E'\\n\\n', 1) || E'\\n'`,
    'note, nothing': `note = ''`,
  }
  for (const size of signedAt) {
    test.each(Object.entries(changes))(`of ${size} rows whose %s was changed`, async (name, assignment) => {
      const where = `WHERE namespace_id = $1 AND size = ${size}`
      expect(await tampered.sql(`UPDATE audit_checkpoint SET ${assignment} ${where}`, log)).toBe(1)
      expect(await tampered.verify('damaged'), name).toMatchObject({ intact: false })
      const { status, body } = await get(`checkpoint?size=${size}`)
      if (status !== 404) expect(body, name).toMatchObject(notIntact)
      expect([503, 404]).toContain((await get(`proof?seq=50&size=${size}`)).status)
    })
  }
})

test('a checkpoint that was removed is not found any more, and everything else is proved', async () => {
  for (const size of signedAt) {
    await tampered.sql(`DELETE FROM audit_checkpoint WHERE namespace_id = $1 AND size = ${size}`, log)
    expect(await tampered.verify('damaged')).toMatchObject({ intact: true })
    expect((await get(`checkpoint?size=${size}`)).status).toBe(404)
    expect((await get('proof?seq=50')).status).toBe(200)
    await restore()
  }
})

const bytes = (base64: string) => Buffer.from(base64, 'base64')
function opened(note: string, key: string) {
  const verifier = parseVerifier(key)
  const checkpoint = parseCheckpoint(openNote(note, verifier ? [verifier] : []) ?? '')
  if (!checkpoint) throw new Error(`not a signed checkpoint: ${note}`)
  return checkpoint
}

test('a row far before the last checkpoint of a long log is not proved', { timeout: 300_000 }, async () => {
  const long = await tampered.log('long', 300)
  const of = (path: string) => tampered.app.call('GET', `/v1/audit/${path}`, { ...caller, namespace: 'long' })
  expect((await of('checkpoint')).body.size).toBe(300)
  await tampered.extend(long, 9000)
  expect((await of('checkpoint')).body.size).toBe(9000)
  await tampered.extend(long, 9100)
  const where = 'WHERE namespace_id = $1 AND seq = $2'
  const wrongs = [`outcome = 'forbidden'`, 'hash = reverse(hash)', `detail = replace(detail::text, ',', ', ')::json`]
  for (const assignment of wrongs) {
    await tampered.sql(
      `CREATE TABLE kept AS SELECT * FROM audit_row ${where.replace('$1', `'${long}'`).replace('$2', '200')}`,
    )
    await tampered.sql(`UPDATE audit_row SET ${assignment} ${where}`, long, 200)
    expect(await tampered.verify('long')).toMatchObject({ intact: false, break_at: 200 })
    for (const claim of ['proof?seq=200', 'proof?seq=200&size=300']) {
      expect((await of(claim)).body, `${claim}: ${assignment}`).toMatchObject(notIntact)
    }
    await tampered.sql(`DELETE FROM audit_row ${where}`, long, 200)
    await tampered.sql('INSERT INTO audit_row TABLE kept')
    await tampered.sql('DROP TABLE kept')
  }
  expect((await of('proof?seq=200')).status).toBe(200)
})

test('what is not damaged is proved, every way', async () => {
  expect(await tampered.verify('damaged')).toMatchObject({ intact: true, checked: length })
  for (const claim of claims(400)) {
    const { status, body } = await get(claim)
    expect(status, JSON.stringify(body)).toBe(200)
    if (!claim.startsWith('proof')) continue
    const { root, size } = opened(body.checkpoint.note, body.checkpoint.verifier_key)
    const hashes = body.hashes.map(bytes)
    if (body.seq !== null) {
      expect(provesInclusion(bytes(body.leaf_hash), body.seq - 1, size, hashes, root), claim).toBe(true)
    } else {
      const old = await get(`checkpoint?size=${body.from}`)
      expect(provesConsistency(body.from, size, hashes, bytes(old.body.root_hash), root), claim).toBe(true)
    }
  }
  const [proven] = (await receipt()).data.deletionReceipt.rows
  const { root, size } = opened(proven.proof.checkpoint.note, proven.proof.checkpoint.verifierKey)
  const hashes = proven.proof.hashes.map(bytes)
  expect(provesInclusion(bytes(proven.proof.leafHash), proven.row.seq - 1, size, hashes, root)).toBe(true)
  expect(await tampered.verify('damaged')).toMatchObject({ intact: true, checked: length })
})
