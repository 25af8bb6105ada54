import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { auditHash, genesisHash } from '../../../src/model/audit.ts'
import { forAllRuns, timeoutFor } from '../../property/draw.ts'
import { bootTampered, type TamperedApp } from '../../support/database/tampered-log.ts'

const length = 12
let tampered: TamperedApp
let chain: string
let empty: string
beforeAll(async () => {
  tampered = await bootTampered()
  chain = await tampered.log('chain', length)
  empty = await tampered.log('empty', 0)
  await tampered.sql('CREATE TABLE kept_rows AS TABLE audit_row')
  await tampered.sql('CREATE TABLE kept_heads AS TABLE head')
})
afterAll(() => tampered.app.close())

async function restore(): Promise<void> {
  await tampered.sql('DELETE FROM audit_row')
  await tampered.sql('INSERT INTO audit_row TABLE kept_rows')
  await tampered.sql(
    `UPDATE head h SET audit_seq = k.audit_seq, audit_hash = k.audit_hash FROM kept_heads k
     WHERE k.namespace_id = h.namespace_id`,
  )
}
afterEach(restore)

const verify = () => tampered.verify('chain')
const change = (seq: number, assignment: string) =>
  tampered.sql(`UPDATE audit_row SET ${assignment} WHERE namespace_id = $1 AND seq = $2`, chain, seq)
const rows = () => tampered.catalog.audit.between({ id: chain, name: 'chain', tier: 'enterprise' }, 0, length, length)
const broken = (breakAt: number, reason: string) => ({
  namespace: 'chain',
  intact: false,
  break_at: breakAt,
  reason: expect.stringContaining(reason),
})

describe('an intact log', () => {
  test('is reported with its head', async () => {
    const last = (await rows()).at(-1)
    expect(last?.seq).toBe(length)
    const head = { namespace: 'chain', head_seq: length, head_hash: last?.hash }
    expect(await verify()).toEqual({ ...head, intact: true, checked: length, break_at: null, reason: null })
  })

  test('may be empty', async () => {
    const report = { namespace: 'empty', intact: true, checked: 0, break_at: null, reason: null }
    expect(await tampered.verify('empty')).toEqual({ ...report, head_seq: 0, head_hash: genesisHash })
  })

  test('is the same over GraphQL', async () => {
    const token = await tampered.app.principal({ id: 'powerless', namespace: 'chain', grants: [] })
    const query = '{ verifyAudit { namespace intact checked headSeq headHash breakAt reason } }'
    const { body } = await tampered.app.graphql(query, {}, { token })
    const { head_seq, head_hash, break_at, ...report } = await verify()
    expect(body.data.verifyAudit).toEqual({ ...report, headSeq: head_seq, headHash: head_hash, breakAt: break_at })
  })
})

/** One change of a single column of row `n`, and the expected report. */
const changes: Record<string, { assign(n: number): string; reason: string }> = {
  namespace_id: { assign: () => `namespace_id = '${empty}'`, reason: 'is missing' },
  'seq, to the end': { assign: (n) => `seq = ${length + n}`, reason: 'is missing' },
  'seq, to the front': { assign: (n) => `seq = -${n}`, reason: 'is missing' },
  time: { assign: () => 'time = time + 1', reason: 'was changed' },
  'time, beyond exactness': { assign: () => 'time = 9223372036854775807', reason: 'was changed' },
  principal_id: { assign: () => "principal_id = 'q'", reason: 'was changed' },
  action: { assign: () => "action = 'units.delete'", reason: 'was changed' },
  target: { assign: () => "target = coalesce(target, '') || 'x'", reason: 'was changed' },
  'target, emptied': { assign: () => "target = CASE WHEN target IS NULL THEN '' END", reason: 'was changed' },
  outcome: { assign: () => "outcome = 'forbidden'", reason: 'was changed' },
  request_id: { assign: () => "request_id = ''", reason: 'was changed' },
  'detail, a value': { assign: () => `detail = (detail::jsonb || '{"units": 0}')::json`, reason: 'was changed' },
  'detail, a type': { assign: () => `detail = (detail::jsonb || '{"none": "null"}')::json`, reason: 'was changed' },
  'detail, a key less': { assign: () => `detail = (detail::jsonb - 'none')::json`, reason: 'was changed' },
  'detail, a key more': { assign: () => `detail = (detail::jsonb || '{"__proto__": 1}')::json`, reason: 'was changed' },
  'detail, a number beyond all': {
    assign: () => `detail = (detail::jsonb || '{"half": 1e400}')::json`,
    reason: 'was changed',
  },
  'detail, no object': { assign: () => `detail = 'null'`, reason: 'was changed' },
  prev_hash: { assign: () => "prev_hash = reverse(prev_hash) || '0'", reason: 'does not continue' },
  'prev_hash, in capitals': { assign: () => "prev_hash = 'A' || substr(prev_hash, 2)", reason: 'does not continue' },
  hash: { assign: () => 'hash = reverse(hash)', reason: 'was changed' },
  'hash, in capitals': { assign: () => 'hash = upper(hash)', reason: 'was changed' },
}

test('a change of any single column of any row is found, where it is', { timeout: timeoutFor(4) }, async () => {
  await forAllRuns(4, async ({ upTo }) => {
    for (const [name, { assign, reason }] of Object.entries(changes)) {
      const n = upTo(length - 1) + 1
      expect(await change(n, assign(n)), name).toBe(1)
      const checked = reason === 'is missing' ? n - 1 : n
      expect(await verify(), `${name} of row ${n}`).toMatchObject({ ...broken(n, reason), checked })
      if (name === 'namespace_id') {
        const reason = expect.stringContaining(`row ${n} is not one that the head row counts`)
        expect(await tampered.verify('empty')).toMatchObject({ intact: false, checked: 0, break_at: n, reason })
      }
      await restore()
      expect(await verify(), `restored after ${name}`).toMatchObject({ intact: true })
    }
  })
})

describe('rows', () => {
  const all = Array.from({ length }, (_, i) => i + 1)
  const remove = (where: string) => tampered.sql(`DELETE FROM audit_row WHERE namespace_id = $1 AND ${where}`, chain)

  test.each(all)('without row %i', async (n) => {
    await remove(`seq = ${n}`)
    expect(await verify()).toMatchObject({ ...broken(n, `row ${n} is missing`), checked: n - 1 })
  })

  test.each(all)('cut from row %i on', async (n) => {
    await remove(`seq >= ${n}`)
    expect(await verify()).toMatchObject({ ...broken(n, `row ${n} is missing`), head_seq: length })
  })

  const contents = 'time, principal_id, action, target, outcome, request_id, detail'
  const swap = (columns: string, a: number, b: number) =>
    tampered.sql(
      `UPDATE audit_row r SET (${columns}) = (SELECT ${columns} FROM kept_rows k
         WHERE k.namespace_id = r.namespace_id AND k.seq = $2::int + $3::int - r.seq)
       WHERE r.namespace_id = $1 AND r.seq IN ($2::int, $3::int)`,
      chain,
      a,
      b,
    )

  test('swapped, with their hashes and without', async () => {
    for (const a of all) {
      for (const b of all.slice(a)) {
        expect(await swap(`${contents}, prev_hash, hash`, a, b)).toBe(2)
        expect(await verify(), `${a} and ${b}`).toMatchObject(broken(a, 'does not continue'))
        await restore()
      }
      if (a === length) continue
      await swap(contents, a, length)
      expect(await verify(), `contents of ${a} and the last`).toMatchObject(broken(a, 'was changed'))
      await restore()
    }
  })

  test('rewritten from one on with a chain of their own end where the head does not', async () => {
    const [before, ...rest] = (await rows()).slice(4)
    let prevHash = before?.hash ?? ''
    for (const row of rest) {
      const forged = { ...row, principalId: 'scapegoat', prevHash }
      prevHash = auditHash(forged)
      await change(row.seq, `principal_id = 'scapegoat', prev_hash = '${forged.prevHash}', hash = '${prevHash}'`)
    }
    expect(await verify()).toMatchObject(broken(length, 'is not the one that the head row names'))
  })

  test('added at the end, in the front, and to an empty log', async () => {
    const add = (namespace: string, seq: number) =>
      tampered.sql(
        `INSERT INTO audit_row SELECT $1, $2::int, time, principal_id, action, target, outcome, request_id, detail,
           prev_hash, hash FROM kept_rows WHERE seq = 1 AND namespace_id = $3`,
        namespace,
        seq,
        chain,
      )
    for (const seq of [length + 1, length + 7, 0, -3]) {
      await add(chain, seq)
      expect(await verify()).toMatchObject(broken(seq, `row ${seq} is not one that the head row counts`))
      await restore()
    }
    await add(empty, 1)
    expect(await tampered.verify('empty')).toMatchObject({ intact: false, break_at: 1 })
  })
})

test('a head row that is moved or renamed is found', async () => {
  const move = (assignment: string) => tampered.sql(`UPDATE head SET ${assignment} WHERE namespace_id = $1`, chain)
  const [fifth] = (await rows()).slice(4)
  await move('audit_seq = 5')
  expect(await verify()).toMatchObject(broken(5, 'is not the one that the head row names'))
  await move(`audit_hash = '${fifth?.hash}'`)
  expect(await verify()).toMatchObject(broken(6, 'row 6 is not one that the head row counts'))
  await move(`audit_seq = ${length + 1}`)
  expect(await verify()).toMatchObject(broken(length + 1, `row ${length + 1} is missing`))
  await move(`audit_seq = 0, audit_hash = '${fifth?.hash}'`)
  expect(await verify()).toMatchObject({ intact: false, break_at: 1, checked: 0 })
})
