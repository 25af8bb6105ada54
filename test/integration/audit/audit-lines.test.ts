import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditBody } from '../../../src/model/audit.ts'
import { bodiesOf } from '../../../src/model/audit-chain.ts'
import type { Namespace } from '../../../src/model/registry.ts'
import { bootTampered, type TamperedApp } from '../../support/database/tampered-log.ts'

let tampered: TamperedApp
let odd: Namespace
let long: Namespace
beforeAll(async () => {
  tampered = await bootTampered()
  odd = { id: await tampered.log('odd', 0), name: 'odd', tier: 'enterprise' }
  long = { id: await tampered.log('long', 760), name: 'long', tier: 'enterprise' }
})
afterAll(() => tampered.app.close())

const change = (namespace: Namespace, seq: number, assignment: string, ...values: string[]) =>
  tampered.sql(`UPDATE audit_row SET ${assignment} WHERE namespace_id = $1 AND seq = ${seq}`, namespace.id, ...values)

const controls = Array.from({ length: 31 }, (_, i) => String.fromCharCode(i + 1))
/** Texts that JSON escapes, texts that only look escaped, and texts with more bytes than code units. */
const oddTexts = [
  ...controls,
  '"',
  '\\',
  '\\"',
  '/',
  '\x7f',
  '\u2028',
  'é',
  '€',
  '😀',
  '',
  "'",
  '","seq":1',
  '€'.repeat(9000),
]
const columns = ['principal_id', 'request_id', 'target'] as const

/** Appends one row for each odd text in each column. */
const append = () =>
  tampered.catalog.transact(odd.id, async (tx) => {
    for (const text of oddTexts) {
      for (const column of columns) {
        await tx.audit({
          time: 1_700_000_000_000,
          action: 'units.ingest',
          outcome: 'ok',
          principalId: column === 'principal_id' ? text : 'p',
          requestId: column === 'request_id' ? text : 'r',
          target: column === 'target' ? text : null,
          detail: { text: text.slice(0, 9) },
        })
      }
    }
  })

test('rows of any texts are read as they were hashed', async () => {
  await append()
  const rows = oddTexts.length * columns.length
  expect(await tampered.verify('odd')).toMatchObject({ intact: true, checked: rows })
  for (let above = 0; above < rows; above += 1) {
    const [row] = await tampered.catalog.audit.between(odd, above, above + 1, 1)
    const batch = await tampered.catalog.audit.lines(odd, above, above + 1)
    expect(bodiesOf(batch)).toEqual([row && auditBody(row)])
  }
})

test('a text that was replaced by what JSON makes of it is found', async () => {
  for (const [i, text] of oddTexts.entries()) {
    const escaped = JSON.stringify(text).slice(1, -1)
    if (escaped === text) continue
    for (const [j, column] of columns.entries()) {
      const seq = i * columns.length + j + 1
      expect(await change(odd, seq, `${column} = $2`, escaped)).toBe(1)
      const reason = `row ${seq} was changed: its hash does not match`
      expect(await tampered.verify('odd'), escaped).toMatchObject({ intact: false, break_at: seq, reason })
      await change(odd, seq, `${column} = $2`, text)
    }
  }
  expect(await tampered.verify('odd')).toMatchObject({ intact: true })
})

test('a batch has every row of its range once, whatever it begins and ends with', async () => {
  const all = (await tampered.catalog.audit.between(long, 0, 760, 760)).map(auditBody)
  for (const [above, upTo] of [
    [0, 760],
    [0, 250],
    [0, 251],
    [249, 250],
    [249, 500],
    [3, 757],
    [600, 600],
    [700, 900],
  ] as const) {
    const batch = await tampered.catalog.audit.lines(long, above, upTo)
    expect(bodiesOf(batch), `${above} to ${upTo}`).toEqual(all.slice(above, upTo))
  }
})

test.each([1, 249, 250, 251, 500, 501, 759, 760])('a change, an escape or a gap at row %i is detected', async (seq) => {
  const broken = { intact: false, break_at: seq }
  await change(long, seq, 'time = time + 1')
  expect(await tampered.verify('long')).toMatchObject({
    ...broken,
    checked: seq,
    reason: expect.stringContaining('was changed'),
  })
  await change(long, seq, 'time = time - 1')
  await change(long, seq, `request_id = request_id || '"'`)
  expect(await tampered.verify('long')).toMatchObject({
    ...broken,
    checked: seq,
    reason: expect.stringContaining('was changed'),
  })
  await change(long, seq, `request_id = rtrim(request_id, '"')`)
  await change(long, seq, `seq = -1`)
  expect(await tampered.verify('long')).toMatchObject({
    ...broken,
    checked: seq - 1,
    reason: expect.stringContaining('is missing'),
  })
  await change(long, -1, `seq = ${seq}`)
  expect(await tampered.verify('long')).toMatchObject({ intact: true, checked: 760 })
})

test('a row without one of its columns is found', async () => {
  for (const column of ['hash', 'prev_hash', 'time', 'principal_id', 'action', 'outcome', 'request_id', 'detail']) {
    const rename = `ALTER TABLE audit_row ALTER COLUMN ${column}`
    await tampered.sql(`${rename} DROP NOT NULL`)
    await tampered.sql('CREATE TABLE kept AS SELECT * FROM audit_row WHERE namespace_id = $1 AND seq = 300', long.id)
    await change(long, 300, `${column} = NULL`)
    expect(await tampered.verify('long'), column).toMatchObject({ intact: false, break_at: 300 })
    await change(long, 300, `${column} = (SELECT ${column} FROM kept)`)
    await tampered.sql('DROP TABLE kept')
    await tampered.sql(`${rename} SET NOT NULL`)
  }
  expect(await tampered.verify('long')).toMatchObject({ intact: true })
})
