import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atNight } from '../../support/amounts.ts'
import { boot, type Reply, type TestApp } from '../../support/boot.ts'
import { expectSoundCatalog, headRows, withCatalogRows } from '../../support/database/catalog-rows.ts'

/** Makes all calls at once; answers in the order of the input. */
const inParallel = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))

const statuses = (replies: readonly Reply[]) => replies.map((reply) => reply.status).sort()

interface Listed {
  unit_id: string
  external_id: string | null
}

async function listAll(app: TestApp, token: string): Promise<Listed[]> {
  const listed: Listed[] = []
  for (let cursor: number | null = 0; cursor !== null; ) {
    const reply: Reply = await app.call('GET', `/v1/units?cursor=${cursor}`, { token })
    expect(reply.status).toBe(200)
    listed.push(...reply.body.units)
    cursor = reply.body.next_cursor
  }
  return listed
}

describe('writers at the same time', () => {
  let app: TestApp
  let isOpen = false

  beforeAll(async () => {
    app = await boot()
    isOpen = true
  })

  afterAll(async () => {
    if (isOpen) await app.close({ keep: true })
    await app.storage.remove()
  })

  const ingest = (token: string, units: readonly object[], scope = 'load') =>
    app.call('POST', '/v1/ingest', { token, scope, body: { units } })

  // First, because no principal may exist yet.
  test('of several first seeds exactly one is open', async () => {
    const replies = await inParallel(6, () => app.call('POST', '/v1/admin/seed'))
    expect(statuses(replies)).toEqual([200, 401, 401, 401, 401, 401])
    const { tokens, counts } = replies.find((reply) => reply.status === 200)?.body ?? {}
    expect(counts.created).toBe(counts.units)
    expect((await app.call('GET', '/v1/context', { token: tokens.admin })).status).toBe(200)
  })

  test('50 ingests: seqs are gapless, counters and listing agree', async () => {
    const token = await app.principal({ id: 'many', namespace: 'many' })
    const sizeOf = (i: number) => 1 + ((i * 7) % 23)
    const replies = await inParallel(50, (i) =>
      ingest(
        token,
        Array.from({ length: sizeOf(i) }, (_, n) => ({
          text: `batch ${i} part ${n}`,
          scope: n % 2 === 0 ? 'load/even' : 'load/odd',
          external_id: `${i}-${n}`,
          // Batches share documents, so they update the same counters; some Units are their own documents.
          ...(n % 3 === 0 ? {} : { doc_id: `doc-${(i + n) % 11}` }),
          ...(n % 5 === 0 ? { modality: 'image' } : {}),
        })),
      ),
    )
    expect(new Set(statuses(replies))).toEqual(new Set([200]))
    expect(replies.every((reply) => reply.body.indexed)).toBe(true)
    const total = Array.from({ length: 50 }, (_, i) => sizeOf(i)).reduce((a, b) => a + b)
    const lastSeqs = replies.map((reply) => reply.body.seq).sort((a, b) => a - b)
    expect(new Set(lastSeqs).size).toBe(50)
    expect(lastSeqs.at(-1)).toBe(total)

    const listed = await listAll(app, token)
    expect(listed.map((unit) => unit.external_id)).toHaveLength(total)
    expect(new Set(listed.map((unit) => unit.unit_id)).size).toBe(total)
    const stats = (await app.call('GET', '/v1/catalog/stats', { token })).body
    const indexed = stats.planes.map((plane: { indexed: number }) => plane.indexed)
    expect(indexed.reduce((a: number, b: number) => a + b)).toBe(total)
    expect(stats.storage).toMatchObject({ catalog_rows: total, vectors: total })
  })

  test('the same external ids from 12 ingests are one Unit each', async () => {
    const token = await app.principal({ id: 'same', namespace: 'same' })
    const replies = await inParallel(12, (i) =>
      ingest(
        token,
        ['a', 'b', 'c', 'd'].map((id) => ({ external_id: id, text: `${id} from ${i}`, doc_id: `doc-${i % 3}` })),
      ),
    )
    expect(new Set(statuses(replies))).toEqual(new Set([200]))
    const created = replies.reduce((sum, reply) => sum + reply.body.counts.created, 0)
    expect(created).toBe(4)
    const ids = new Set(replies.flatMap((reply) => reply.body.units.map((unit: Listed) => unit.unit_id)))
    expect(ids.size).toBe(4)
    expect(await listAll(app, token)).toHaveLength(4)
  })

  test('of several creations of one scope exactly one succeeds', async () => {
    const token = await app.principal({ id: 'scoper', namespace: 'scopes' })
    const replies = await inParallel(8, () => app.call('POST', '/v1/scopes', { token, body: { scope: 'team/area' } }))
    expect(statuses(replies)).toEqual([200, ...Array(7).fill(400)])
    const { scopes } = (await app.call('GET', '/v1/scopes', { token })).body
    expect(scopes.map((scope: { scope: string }) => scope.scope)).toEqual(['team/area'])
  })

  test('of own vectors of different lengths the first to come decides for all', async () => {
    const token = await app.principal({ id: 'dims', namespace: 'dims' })
    const replies = await inParallel(8, (i) =>
      ingest(token, [{ external_id: `${i}`, vector: Array(i % 2 === 0 ? 8 : 12).fill(0.5) }]),
    )
    expect(statuses(replies)).toEqual([200, 200, 200, 200, 400, 400, 400, 400])
    const even = replies.flatMap((reply, i) => (reply.status === 200 ? [i % 2] : []))
    expect(new Set(even).size).toBe(1)
  })

  // Last: it closes the application to read the catalog without it.
  test('leave every counter true and every audit chain whole', async () => {
    await app.close({ keep: true })
    isOpen = false
    await expectSoundCatalog(app.storage)
    await withCatalogRows(app.storage, async (sql) => {
      const many = (await headRows(sql)).find((head) => head.name === 'many')
      const seqs = await sql<{ seq: number }>(
        'SELECT seq::float8 AS seq FROM unit WHERE namespace_id = $1 ORDER BY seq',
        [many?.namespace_id],
      )
      expect(seqs.map((row) => row.seq)).toEqual(seqs.map((_, i) => i + 1))
      expect(many?.seq).toBe(seqs.length)
      const [written] = await sql<{ rows: number }>(
        "SELECT count(*)::int AS rows FROM audit_row WHERE namespace_id = $1 AND action = 'units.ingest'",
        [many?.namespace_id],
      )
      expect(written).toEqual({ rows: 50 })
    })
  })
})

// At night: it takes 25,000 Units.
describe.runIf(atNight)('the document ceiling of the Free tier', () => {
  test('is reached exactly by concurrent requests', async () => {
    const app = await boot({ config: { ingestWaitMs: 0 } })
    let isOpen = true
    try {
      const token = await app.principal({ id: 'free', namespace: 'small', tier: 'free' })
      const ingest = (units: readonly object[]) =>
        app.call('POST', '/v1/ingest', { token, scope: 'load', body: { units } })
      const filling = await inParallel(25, (batch) =>
        ingest(
          Array.from({ length: batch === 24 ? 990 : 1000 }, (_, n) => ({
            external_id: `${batch}-${n}`,
            source_uri: `shelf://${batch}/${n}`,
            ...(n % 2 === 0 ? { doc_id: `doc-${batch}-${n}` } : {}),
          })),
        ),
      )
      expect(new Set(statuses(filling))).toEqual(new Set([200]))

      const rush = await inParallel(32, (i) =>
        ingest(Array.from({ length: 5 }, (_, n) => ({ external_id: `rush-${i}-${n}`, text: `rush ${i} ${n}` }))),
      )
      expect(statuses(rush)).toEqual([200, 200, ...Array(30).fill(402)])
      for (const { body } of rush.filter((reply) => reply.status === 402)) {
        expect(body).toMatchObject({ error: 'quota_exceeded', status: 402, required_tier: 'pro' })
      }
      const over = rush.flatMap((reply, i) => (reply.status === 402 ? [i] : []))

      // At the limit, existing Units may change, and an existing document may grow.
      const changes = [
        { external_id: '0-0', text: 'changed at the ceiling', doc_id: 'doc-0-0' },
        { external_id: 'more', text: 'one more part', doc_id: 'doc-0-0' },
      ]
      const changed = await ingest(changes)
      expect(changed.status).toBe(200)
      expect(changed.body.counts).toEqual({ created: 1, updated: 1, unchanged: 0 })
      expect((await ingest([{ text: 'one too many' }])).status).toBe(402)
      // A batch that adds one document and removes another stays within the limit.
      expect((await ingest([{ external_id: '0-1', text: 'moved', doc_id: 'fresh' }])).status).toBe(200)

      // Capacity that a deletion frees can be used again, but only once.
      const body = { filter: { external_id: '0-3' }, hard: true }
      expect((await app.call('POST', '/v1/units:delete', { token, body })).body.purged).toBe(1)
      const refills = await inParallel(3, (i) => ingest([{ external_id: `refill-${i}`, text: `refill ${i}` }]))
      expect(statuses(refills)).toEqual([200, 402, 402])

      await app.close({ keep: true })
      isOpen = false
      await expectSoundCatalog(app.storage)
      await withCatalogRows(app.storage, async (sql) => {
        const [head] = await headRows(sql)
        expect(head?.documents).toBe(25_000)
        const rows = await sql<{ external_id: string }>(`SELECT external_id FROM unit WHERE external_id LIKE 'rush-%'`)
        expect(rows).toHaveLength(10)
        const refused = (row: { external_id: string }) => over.includes(Number(row.external_id.split('-')[1]))
        expect(rows.filter(refused)).toEqual([])
      })
    } finally {
      if (isOpen) await app.close({ keep: true })
      await app.storage.remove()
    }
  })
})
