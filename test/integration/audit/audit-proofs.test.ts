import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuditRow, auditBody } from '../../../src/model/audit.ts'
import { parseCheckpoint } from '../../../src/model/checkpoint.ts'
import { leafHash, provesConsistency, provesInclusion } from '../../../src/model/merkle.ts'
import { openNote, parseVerifier } from '../../../src/model/signed-note.ts'
import type { Reply } from '../../support/boot.ts'
import { bootTampered, type TamperedApp } from '../../support/database/tampered-log.ts'

/** Several blocks of 256 rows, and a partial block. */
const length = 700
let tampered: TamperedApp
let log: string
let admin: string
let reader: string
beforeAll(async () => {
  tampered = await bootTampered()
  log = await tampered.log('proven', length)
  admin = await tampered.app.principal({ id: 'warden', namespace: 'proven' })
  reader = await tampered.app.principal({
    id: 'reader',
    namespace: 'proven',
    grants: [{ scope: 'open', perms: ['read', 'write'] }],
  })
})
afterAll(() => tampered.app.close())

const get = (path: string, token = admin, scope?: string): Promise<Reply> =>
  tampered.app.call('GET', `/v1/audit/${path}`, { token, ...(scope ? { scope } : {}) })
const bytes = (base64: string) => Buffer.from(base64, 'base64')
const ok = async (path: string) => {
  const { status, body } = await get(path)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

/** Verifies a checkpoint as a client with a known key does. */
function opened({ note, verifier_key }: { note: string; verifier_key: string }) {
  const verifier = parseVerifier(verifier_key)
  const text = openNote(note, verifier ? [verifier] : [])
  const checkpoint = text === null ? null : parseCheckpoint(text)
  if (!checkpoint) throw new Error(`not a signed checkpoint: ${note}`)
  return checkpoint
}

describe('a checkpoint', () => {
  test('covers the log as it stands, and is signed', async () => {
    const checkpoint = await ok('checkpoint')
    expect(checkpoint).toMatchObject({ namespace: 'proven', origin: 'svc/audit/proven', size: length })
    expect(Object.keys(checkpoint)).toEqual([
      'namespace',
      'origin',
      'size',
      'root_hash',
      'time',
      'note',
      'verifier_key',
    ])
    const { origin, size, root } = opened(checkpoint)
    expect([origin, size, Buffer.from(root).toString('base64')]).toEqual([
      checkpoint.origin,
      length,
      checkpoint.root_hash,
    ])
    expect(await ok('checkpoint')).toEqual(checkpoint)
    expect(await ok(`checkpoint?size=${length}`)).toEqual(checkpoint)
    expect((await get(`checkpoint?size=${length - 1}`)).status).toBe(404)
  })

  test('is signed with a key that only its owner may read', () => {
    const { mode } = statSync(join(tampered.app.storage.dataDir, 'secrets', 'audit-signing-key'))
    expect(mode & 0o777).toBe(0o600)
  })

  test('may be of an empty log', async () => {
    await tampered.app.principal({ id: 'nobody-yet', namespace: 'untouched' })
    const token = await tampered.app.principal({ id: 'first', namespace: 'untouched' })
    const { body } = await get('checkpoint', token)
    expect(opened(body)).toMatchObject({ size: 0 })
    expect((await get('proof?seq=1', token)).status).toBe(404)
    expect((await get('proof?from=1', token)).status).toBe(404)
  })

  test.each(['size=0', 'size=-1', 'size=x', 'size=1.5', 'size=9007199254740992'])(
    'cannot be requested by %s',
    async (query) => {
      expect((await get(`checkpoint?${query}`)).status).toBe(400)
    },
  )
})

describe('a proof', () => {
  const rows = () => tampered.catalog.audit.between({ id: log, name: 'proven', tier: 'enterprise' }, 0, length, length)

  test('of any row leads to the checkpoint', async () => {
    const all = await rows()
    for (const seq of [1, 2, 255, 256, 257, 511, 512, 513, 640, 699, 700]) {
      const proof = await ok(`proof?seq=${seq}&size=${length}`)
      expect(proof).toMatchObject({ namespace: 'proven', seq, from: null, size: length })
      const row = all[seq - 1] as AuditRow
      const leaf = leafHash(Buffer.from(auditBody(row)))
      expect(proof.leaf_hash).toBe(leaf.toString('base64'))
      const { root, size } = opened(proof.checkpoint)
      expect(provesInclusion(leaf, seq - 1, size, proof.hashes.map(bytes), root), `row ${seq}`).toBe(true)
    }
  })

  test('shows that the log continues what it was', async () => {
    const older = opened(await ok('checkpoint'))
    const token = await tampered.app.principal({ id: 'scribe', namespace: 'proven' })
    for (let i = 0; i < 3; i += 1) await tampered.app.call('POST', '/v1/scopes', { token, body: { scope: `s${i}` } })
    const proof = await ok(`proof?from=${older.size}`)
    expect(proof).toMatchObject({ seq: null, leaf_hash: null, from: older.size, size: older.size + 3 })
    const { root, size } = opened(proof.checkpoint)
    expect(provesConsistency(older.size, size, proof.hashes.map(bytes), older.root, root)).toBe(true)
    for (const from of [1, 256, 300, 512, size]) {
      expect((await ok(`proof?from=${from}`)).size).toBe(size)
    }
    expect((await get(`proof?from=${size + 1}`)).status).toBe(404)
    expect((await get(`proof?from=${older.size + 1}&size=${older.size}`)).status).toBe(404)
  })

  test('is given of rows that the caller may see, and of no others', async () => {
    const { status } = await tampered.app.call('POST', '/v1/scopes', { token: reader, body: { scope: 'open/mine' } })
    expect(status).toBe(200)
    const { body } = await tampered.app.call('GET', '/v1/audit', { token: reader, scope: 'open' })
    expect(body.rows).toHaveLength(1)
    expect((await get(`proof?seq=${body.rows[0].seq}`, reader, 'open')).status).toBe(200)
    const hidden = await get('proof?seq=1', reader, 'open')
    const unknown = await get('proof?seq=99999', reader, 'open')
    expect([hidden.status, hidden.body]).toEqual([404, unknown.body])
  })

  test.each(['', 'seq=1&from=1', 'seq=0', 'from=0', 'seq=a', 'from=1.5', 'seq=1&size=0'])(
    'is refused for %j',
    async (query) => {
      expect((await get(`proof?${query}`)).status).toBe(400)
    },
  )

  test.each(['free', 'pro'] as const)('takes more than the %s tier', async (tier) => {
    const token = await tampered.app.principal({ id: `on-${tier}`, namespace: `tier-${tier}`, tier })
    for (const path of ['checkpoint', 'proof?from=1']) {
      expect((await get(path, token)).body).toMatchObject({ error: 'upgrade_required', required_tier: 'enterprise' })
    }
  })
})

describe('the receipt of a hard delete', () => {
  const query = `query ($seq: SafeInt!) { deletionReceipt(seq: $seq) {
    seq rows { row { seq action detail } proof { leafHash hashes size checkpoint { note verifierKey } } }
    stores { store engine erased remaining } } }`
  const receipt = (seq: number, token = admin) => tampered.app.graphql(query, { seq }, { token })

  const removed = async (hard: boolean, units: number) => {
    const texts = Array.from({ length: units }, (_, i) => ({ text: `goes ${i}`, scope: 'open', acl_groups: ['*'] }))
    const { body } = await tampered.app.call('POST', '/v1/ingest', { token: admin, body: { units: texts } })
    const ids = body.units.map((unit: { unit_id: string }) => unit.unit_id)
    return (await tampered.app.call('POST', '/v1/units:delete', { token: admin, body: { ids, hard } })).body
  }

  test('holds its row, the proof, and what has gone from each store', async () => {
    const { seq, purged } = await removed(true, 3)
    expect(purged).toBe(3)
    await tampered.app.runtime.domain.background.idle()
    const { body } = await receipt(seq)
    const [proven, ...more] = body.data.deletionReceipt.rows
    expect(more).toEqual([])
    expect(proven.row).toMatchObject({ action: 'units.delete', detail: { hard: true, units: 3, seq } })
    const { root, size } = opened({ ...proven.proof.checkpoint, verifier_key: proven.proof.checkpoint.verifierKey })
    const hashes = proven.proof.hashes.map(bytes)
    expect(provesInclusion(bytes(proven.proof.leafHash), proven.row.seq - 1, size, hashes, root)).toBe(true)
    const stores = Object.fromEntries(body.data.deletionReceipt.stores.map((s: { store: string }) => [s.store, s]))
    expect(stores.catalog).toMatchObject({ erased: 3, remaining: 0 })
    expect(stores.vector_index.erased + stores.vector_index.remaining).toBe(3)
    expect(stores.text_index.engine).toBe('embedded')
    expect(stores.object_store).toMatchObject({ erased: 0, remaining: 0 })
  })

  test('counts what is still there', async () => {
    const { seq } = await removed(true, 2)
    await tampered.sql(`UPDATE unit SET text = 'back' WHERE namespace_id = $1 AND seq = $2`, log, seq)
    const { body } = await receipt(seq)
    const [catalog] = body.data.deletionReceipt.stores
    expect(catalog).toMatchObject({ store: 'catalog', erased: 1, remaining: 1 })
  })

  test('is of one deletion alone, whatever request ids its caller sends', async () => {
    const headers = { 'x-request-id': 'always-the-same' }
    const remove = async (units: number) => {
      const texts = Array.from({ length: units }, (_, i) => ({ text: `goes ${i}`, scope: 'open' }))
      const { body } = await tampered.app.call('POST', '/v1/ingest', { token: admin, body: { units: texts } })
      const ids = body.units.map((unit: { unit_id: string }) => unit.unit_id)
      const call = { token: admin, body: { ids, hard: true }, headers }
      return (await tampered.app.call('POST', '/v1/units:delete', call)).body.seq as number
    }
    const seqs = [await remove(2), await remove(3)]
    await tampered.app.call('POST', '/v1/units:delete', { token: admin, body: { ids: ['none'], hard: true }, headers })
    for (const [i, seq] of seqs.entries()) {
      const { rows, stores } = (await receipt(seq)).body.data.deletionReceipt
      expect(rows).toHaveLength(1)
      expect(rows[0].row.detail).toMatchObject({ units: i + 2, seq })
      expect(stores[0]).toMatchObject({ store: 'catalog', erased: i + 2, remaining: 0 })
    }
  })

  test('of an old version is identified by its request, and ends with its last batch', async () => {
    const actor = { principalId: 'old', requestId: 'again', time: 1, outcome: 'ok', target: 'open' } as const
    const batches = [
      [1000, 90_001],
      [1000, 90_002],
      [7, 90_003],
      [1000, 90_004],
      [5, 90_005],
      [3, 90_006],
    ] as const
    await tampered.catalog.transact(log, async (tx) => {
      for (const [units, seq] of batches) {
        await tx.audit({ ...actor, action: 'units.delete', detail: { hard: true, units, sources: 0, seq } })
      }
    })
    const seqsOf = async (seq: number) =>
      (await receipt(seq)).body.data.deletionReceipt.rows.map(({ row }: { row: AuditRow }) => row.detail.seq)
    expect(await seqsOf(90_003)).toEqual([90_001, 90_002, 90_003])
    expect(await seqsOf(90_005)).toEqual([90_004, 90_005])
    expect(await seqsOf(90_006)).toEqual([90_006])
  })

  test('is of hard deletes alone, and for who may see them', async () => {
    const soft = await removed(false, 1)
    const { seq } = await removed(true, 1)
    const codes = [await receipt(soft.seq), await receipt(seq + 1000), await receipt(seq, reader)]
    for (const { body } of codes) expect(body.errors[0].extensions.code).toBe('not_found')
    expect((await receipt(0)).body.errors[0].extensions.code).toBe('bad_request')
  })
})
