import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Checkpoint } from '../../console/src/proofs/checkpoint.ts'
import { lineOf } from '../../console/src/proofs/line.ts'
import { type LogInput, type ProofSource, verifyLog } from '../../console/src/proofs/log.ts'
import { type ProvenRow, verifyReceipt } from '../../console/src/proofs/receipt.ts'
import type { LogRow } from '../../console/src/proofs/row.ts'
import { type AuditRow, auditHash } from '../../src/model/audit.ts'
import { superAdminToken, type TestApp } from '../support/boot.ts'
import { bootTampered, type TamperedApp } from '../support/database/tampered-log.ts'
import { keptInMemory, logOf, rowFields } from './support/log-of.ts'

let tampered: TamperedApp
let app: TestApp
let admin: string
beforeAll(async () => {
  tampered = await bootTampered()
  app = tampered.app
  const namespaceId = await tampered.log('seen', 100)
  await tampered.log('other', 10)
  admin = await app.principal({ id: 'warden', namespace: 'seen' })
  for (const rows of [200, 300]) {
    await checkpoint()
    await tampered.extend(namespaceId, rows)
  }
  await checkpoint()
})
afterAll(() => app.close())

const ask = (query: string, variables: Record<string, unknown> = {}) => logOf(app, admin, 'seen').ask(query, variables)
const checkpoint = (size?: number) => logOf(app, admin, 'seen').checkpoint(size)
const checkpointOfOther = () => logOf(app, superAdminToken, 'other').checkpoint()
const page = (cursor: number, limit: number) => logOf(app, admin, 'seen').page(cursor, limit)

let proofs = 0
const counted = <T>(proof: T): T => {
  proofs += 1
  return proof
}
const source: ProofSource = {
  after: (seq) => logOf(app, admin, 'seen').source.after(seq),
  inclusion: (seq, size) => counted(logOf(app, admin, 'seen').source.inclusion(seq, size)),
  consistency: (from, size) => counted(logOf(app, admin, 'seen').source.consistency(from, size)),
}

const lineFor = async (
  rows: LogRow[],
  signed: Checkpoint,
  kept = keptInMemory(),
  from = source,
  whole: LogInput['whole'] = 'no',
) => lineOf(await verifyLog({ namespace: 'seen', rows, whole, checkpoint: signed, source: from, kept }))

describe('rows of a log', () => {
  test('a page verifies with two proofs, scattered rows with one each', async () => {
    const [rows, signed] = [await page(20, 100), await checkpoint()]
    proofs = 0
    expect(await lineFor(rows, signed)).toBe(
      `This browser: verified, 100 rows, checkpoint of 300 signed by svc/audit/seen`,
    )
    expect(proofs).toBe(2)
    const scattered = [3, 8, 9, 10, 50].map((index) => rows[index]).filter((row) => row !== undefined)
    proofs = 0
    expect(await lineFor(scattered, signed)).toContain('verified, 5 rows')
    expect(proofs).toBe(4)
    expect(await lineFor([], signed)).toContain('verified, 0 rows')
  })

  test('a list that shows all rows has no gap', async () => {
    const all = [...(await page(0, 100)), ...(await page(100, 100)), ...(await page(200, 100))]
    const signed = await checkpoint()
    const line = (given: LogRow[], whole: LogInput['whole'] = 'to end', from = source) =>
      lineFor(given, signed, keptInMemory(), from, whole)
    expect(await line(all)).toContain('verified, 300 rows')
    expect(await line(all.slice(0, 100), 'from last')).toContain('verified, 100 rows')
    // These came after the list.
    expect(await line(all.slice(20, 100), 'from last')).toContain('verified, 80 rows')
    const without = (...seqs: number[]) => all.filter(({ seq }) => !seqs.includes(seq))
    const unexplained = 'missing from the list, which no filter explains'
    const flaw = (missing: string) => `This browser: does not verify: ${missing} ${unexplained}`
    expect(await line(without(193))).toBe(flaw('row 193'))
    expect(await line(without(1, 193, 250, 251, 252))).toBe(flaw('rows 1, 193, 250 to 252'))
    const hiding = { ...source, after: async () => [] }
    expect(await line(without(299, 300), 'to end', hiding)).toBe(flaw('rows 299 to 300'))
    const forging = { ...source, after: async () => all.slice(0, 1).map((row) => ({ ...row, outcome: 'denied' })) }
    expect(await line(without(300), 'to end', forging)).toContain('row 300: its hash does not match its content')
  })

  test('rows past the checkpoint are not covered, and their hashes still count', async () => {
    const signed = await checkpoint(200)
    const rows = await page(90, 30)
    expect(await lineFor(rows, signed)).toContain(
      '20 rows, checkpoint of 200 signed by svc/audit/seen, 10 not yet covered',
    )
    expect(await lineFor([{ ...first(rows), outcome: 'denied' }, ...rows.slice(1)], signed)).toBe(
      'This browser: does not verify: row 210: its hash does not match its content',
    )
  })

  test.for<[string, (row: LogRow) => Partial<LogRow>, RegExp]>([
    ['a field', () => ({ time: 1 }), /row 275: its hash does not match its content/],
    ['a number in the detail', ({ detail }) => ({ detail: { ...Object(detail), units: 1 } }), /row 275: its hash/],
    ['the previous hash', () => ({ prevHash: 'f'.repeat(64) }), /row 275: it does not continue row 274/],
    ['the namespace', () => ({ namespace: 'other' }), /row 275: it is of another log/],
    ['its place', () => ({ seq: 274 }), /row 274: it/],
  ])('%s of a row that was changed', async ([, change, reason]) => {
    const rows = (await page(20, 10)).map((row) => (row.seq === 275 ? { ...row, ...change(row) } : row))
    expect(await lineFor(rows, await checkpoint())).toMatch(reason)
  })

  test('rows that were made again, with right hashes, are not the signed ones', async () => {
    const rows = await page(20, 10)
    const forged = rehashed(rows.map((row) => (row.seq === 276 ? { ...row, principalId: 'nobody' } : row)))
    expect(await lineFor(forged, await checkpoint())).toBe(
      'This browser: does not verify: row 276: the proof does not lead from it to the signed root',
    )
  })

  test('a note that was changed or signed by another, a proof that was cut', async () => {
    const [rows, signed] = [await page(0, 5), await checkpoint()]
    const note = signed.note.replace(/\n300\n/, '\n301\n')
    expect(await lineFor(rows, { ...signed, note })).toContain(
      'does not verify: the signature of the checkpoint is invalid',
    )
    const { verifierKey } = await checkpointOfOther()
    expect(await lineFor(rows, { ...signed, verifierKey })).toContain('not signed by the verifier key')
    const cut: ProofSource = {
      ...source,
      inclusion: async (seq, size) => ({ hashes: (await source.inclusion(seq, size)).hashes.slice(1) }),
    }
    expect(await lineFor(rows, signed, keptInMemory(), cut)).toMatch(/row 296: the proof does not lead/)
  })
})

describe('the checkpoint that this browser saw last', () => {
  test('is continued, and replaced by the new one', async () => {
    const kept = keptInMemory()
    await lineFor(await page(220, 5), await checkpoint(100), kept)
    expect(kept.all.get('svc/audit/seen')?.note).toContain('\n100\n')
    proofs = 0
    expect(await lineFor([], await checkpoint(), kept)).toContain('verified')
    expect([proofs, kept.all.get('svc/audit/seen')?.note]).toEqual([1, expect.stringContaining('\n300\n')])
  })

  test('a shorter log, another log and a proof that does not lead there are said', async () => {
    const kept = keptInMemory()
    const signed = await checkpoint()
    await lineFor([], signed, kept)
    expect(await lineFor([], await checkpoint(200), kept)).toContain(
      'the log has become shorter: 200 rows are signed, and this browser has seen 300',
    )
    kept.set('svc/audit/seen', await checkpointOfOther())
    expect(await lineFor([], signed, kept)).toContain('this browser kept is of svc/audit/other')
    kept.set('svc/audit/seen', await checkpoint(200))
    const none: ProofSource = { ...source, consistency: async () => ({ hashes: [] }) }
    expect(await lineFor([], signed, kept, none)).toContain('the log does not begin with the 200 rows')
    expect(kept.all.get('svc/audit/seen')?.note).toContain('\n200\n')
  })
})

test('a deletion receipt verifies, and not with another row', async () => {
  const unit = { text: 'gone soon', external_id: 'gone', acl_groups: ['*'] }
  const writer = { token: admin, namespace: 'seen' }
  await app.call('POST', '/v1/ingest', { ...writer, scope: 'open', body: { units: [unit] } })
  const deleted = await app.call('POST', '/v1/units:delete', { ...writer, body: { ids: ['gone'], hard: true } })
  const query = `query ($seq: SafeInt!) { deletionReceipt(seq: $seq) { rows { row { ${rowFields} }
    proof { hashes checkpoint { note verifierKey } } } } }`
  const { rows }: { rows: ProvenRow[] } = (await ask(query, { seq: deleted.body.seq })).deletionReceipt
  const kept = keptInMemory()
  const check = async (given: ProvenRow[]) =>
    lineOf(await verifyReceipt({ namespace: 'seen', rows: given, source, kept }))
  expect(await check(rows)).toMatch(/verified, [1-9]\d* rows, checkpoint of 30\d signed/)
  await lineFor([], await checkpoint(), kept)
  expect(await check(rows)).toContain('verified')
  expect(await check(rows.map((given) => ({ ...given, proof: { ...given.proof, hashes: [] } })))).toContain(
    'does not verify',
  )
  expect(await check([])).toContain('does not verify: the receipt has no rows')
})

/** Rows with correct hashes and links, as someone makes them who holds the whole log. They are newest first. */
function rehashed(rows: readonly LogRow[]): LogRow[] {
  let prevHash = rows.at(-1)?.prevHash ?? ''
  const forged = rows.toReversed().map((row) => {
    const made = { ...row, prevHash }
    prevHash = auditHash(made as AuditRow)
    return { ...made, hash: prevHash }
  })
  return forged.toReversed()
}

function first<T>(items: readonly T[]): T {
  const [item] = items
  if (item === undefined) throw new Error('nothing is listed')
  return item
}
