import { expect } from 'vitest'
import { type Answer, type Known, type Ledger, type Operation, perform, record, type Send } from './load.ts'

interface Listed {
  unit_id: string
  external_id: string
  text: string
}

/** All Units that the service lists, page by page. */
async function listAll(send: Send): Promise<Listed[]> {
  const listed: Listed[] = []
  for (let cursor: number | null = 0; cursor !== null; ) {
    const { status, body }: Answer = await send('GET', `/v1/units?limit=100&cursor=${cursor}`)
    expect(status).toBe(200)
    listed.push(...body.units)
    cursor = body.next_cursor
  }
  return listed
}

/** Checks that each unanswered operation either took effect completely or not at all; returns the number that did. */
export async function settleInFlight(send: Send, ledger: Ledger): Promise<Operation[]> {
  const listed = new Map((await listAll(send)).map((unit) => [unit.external_id, unit]))
  const unitIds = new Set([...listed.values()].map((unit) => unit.unit_id))
  const landed: Operation[] = []
  for (const operation of ledger.inFlight) {
    const effects =
      operation.kind === 'ingest'
        ? operation.units.map((unit) => listed.get(unit.external_id)?.text === unit.text)
        : operation.ids.map((id) => !unitIds.has(id))
    expect(new Set(effects).size, `partly applied: ${JSON.stringify(operation)}`).toBe(1)
    if (!effects[0]) continue
    landed.push(operation)
    const ids = operation.kind === 'ingest' ? operation.units.map((u) => listed.get(u.external_id)?.unit_id ?? '') : []
    const before = operation.kind === 'ingest' ? operation.units.map((u) => ledger.units.get(u.external_id)) : []
    for (const [i, known] of before.entries()) if (known) expect(ids[i]).toBe(known.unitId)
    record(ledger, operation, ids)
  }
  return landed
}

/** The listing equals the acknowledged state: nothing lost, nothing undeleted, nothing twice. */
export async function expectListing(send: Send, ledger: Ledger): Promise<void> {
  const listed = await listAll(send)
  const byId = (a: string[], b: string[]) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1)
  const live = [...ledger.units.values()].filter((unit) => unit.live)
  expect(listed.map((unit) => [unit.unit_id, unit.external_id, unit.text]).sort(byId)).toEqual(
    live.map((unit) => [unit.unitId, unit.externalId, unit.text]).sort(byId),
  )
}

const chunks = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))

/** The answer does not wait for a slow index; the index catches up later. */
async function expectIndexed(send: Send): Promise<void> {
  const behind = async () => {
    const { trace } = (await send('POST', '/v1/search', { q: 'log', top_k: 1 })).body
    return trace.seq - trace.index_seq
  }
  await expect.poll(behind).toBe(0)
}

/** Live Units are found by id and by their unique word; deleted Units by neither. */
export async function expectFound(send: Send, units: readonly Known[]): Promise<void> {
  await expectIndexed(send)
  // Few words at a time: after its first ten ranks, a search also returns similar texts.
  for (const some of chunks(units, 10)) {
    const [search, ...reads] = await Promise.all([
      send('POST', '/v1/search', { q: some.map((unit) => unit.word).join(' '), top_k: 10 }),
      ...some.map((unit) => send('GET', `/v1/units/${unit.unitId}`)),
    ])
    for (const [i, unit] of some.entries()) {
      const read = reads[i]
      expect(read?.status, unit.externalId).toBe(unit.live ? 200 : 404)
      if (unit.live) expect(read?.body.text).toBe(unit.text)
    }
    expect(search.status).toBe(200)
    const texts = new Map<string, string>(
      search.body.hits.map((hit: { unit_id: string; text: string }) => [hit.unit_id, hit.text]),
    )
    for (const unit of some) expect(texts.get(unit.unitId), unit.externalId).toBe(unit.live ? unit.text : undefined)
  }
}

/** Sends unanswered operations again, as a client would, twice: the Units stay the same, with no duplicates. */
export async function resend(send: Send, ledger: Ledger, landed: readonly Operation[]): Promise<void> {
  for (const operation of ledger.inFlight) {
    const first = await perform(send, operation)
    const again = await perform(send, operation)
    expect([first.status, again.status]).toEqual([200, 200])
    const wasDone = landed.includes(operation)
    if (operation.kind === 'delete') {
      expect(first.body.matched).toBe(wasDone ? 0 : operation.ids.length)
      expect(again.body.matched).toBe(0)
      record(ledger, operation, [])
      continue
    }
    const idsOf = ({ body }: Answer): string[] => body.units.map((unit: { unit_id: string }) => unit.unit_id)
    const ids = idsOf(first)
    expect(first.body.counts.unchanged).toBe(wasDone ? operation.units.length : 0)
    expect(again.body.counts.unchanged).toBe(operation.units.length)
    expect(idsOf(again)).toEqual(ids)
    for (const [i, unit] of operation.units.entries()) {
      const known = ledger.units.get(unit.external_id)
      if (known) expect(ids[i]).toBe(known.unitId)
    }
    record(ledger, operation, ids)
  }
  ledger.inFlight = []
}
