import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  BadRequest,
  type Client,
  ConnectionError,
  createClient,
  Forbidden,
  missingRows,
  NotFound,
  Unauthorized,
  UpgradeRequired,
  verifyCitation,
  verifyConsistency,
  verifyExport,
  verifyInclusion,
} from '../../clients/typescript/src/index.ts'
import { boot, type TestApp } from '../support/boot.ts'
import { startFlakyProxy } from '../support/process/flaky-proxy.ts'
import { type LoggedServer, listen } from '../support/process/http-server.ts'

let app: TestApp
let server: LoggedServer
let client: Client
let token: string
beforeAll(async () => {
  app = await boot()
  server = await listen(app)
  token = await app.principal({ id: 'keeper', namespace: 'coast', tier: 'enterprise' })
  client = createClient({ baseUrl: server.url, token, scope: 'harbour' })
  await client.units.ingest([
    { text: 'The lighthouse keeper lights the lamp at dusk.', modality: 'text', external_id: 'lamp' },
    { text: 'Ferries leave the harbour twice a day.', modality: 'text', external_id: 'ferry' },
    { text: 'Nets dry on the quay.', modality: 'text', external_id: 'nets' },
  ])
})
afterAll(async () => {
  await server.close()
  await app.close()
})

const collect = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
const as = (options: Partial<Parameters<typeof createClient>[0]>) =>
  createClient({ baseUrl: server.url, token, scope: 'harbour', ...options })

describe('calls', () => {
  test('search, answer, context and health have the bodies of REST', async () => {
    const { hits } = await client.search({ q: 'lamp at dusk' })
    expect(hits[0]).toMatchObject({ external_id: 'lamp', rank: 1 })
    const { answer } = await client.answer({ q: 'who lights the lamp?' })
    expect(answer?.text).toContain('lighthouse keeper')
    expect(await client.context()).toMatchObject({ principal: { principal_id: 'keeper' } })
    expect(await as({ token: undefined } as never).health()).toMatchObject({ status: 'ok' })
  })

  test('lists go through all pages, and a page stands alone', async () => {
    const units = await collect(client.units.list({ limit: 2 }))
    expect(units.map(({ external_id }) => external_id)).toEqual(['lamp', 'ferry', 'nets'])
    const first = await client.units.page({ limit: 2 })
    expect(first.units).toHaveLength(2)
    expect((await client.units.page({ limit: 2, cursor: first.next_cursor ?? '' })).units).toHaveLength(1)
  })

  test('registries, GraphQL and billing', async () => {
    await client.grants.list()
    const made = await client.principals.create({ name: 'guest', kind: 'user' })
    expect(made.token).toEqual(expect.any(String))
    const id = made.principal_id
    expect(await client.principals.get(id)).toMatchObject({ principal_id: id })
    expect(await client.principals.delete(id)).toMatchObject({ deleted: true })
    expect(await client.graphql('{ context { principal { principalId } } }')).toEqual({
      context: { principal: { principalId: 'keeper' } },
    })
    expect(await client.billing.plans()).toHaveProperty('plans')
  })
})

describe('uploads', () => {
  const text = 'The lamp was lit at dusk.\n'.repeat(30_000)
  const uploaded = { source_uri: expect.stringMatching(/^source:\/\//), bytes: text.length }

  test('send a source at once', async () => {
    const source = await client.sources.upload(new Blob([text], { type: 'text/plain' }), { name: 'log.txt' })
    expect(source).toMatchObject({ ...uploaded, mime: 'text/plain', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
  })

  test('report how much was sent', async () => {
    const progress: number[] = []
    const onProgress = ({ sent, total }: { sent: number; total: number }) => {
      expect(total).toBe(text.length)
      progress.push(sent)
    }
    expect(await client.sources.upload(new TextEncoder().encode(text), { onProgress })).toMatchObject(uploaded)
    expect(progress.length).toBeGreaterThan(2)
    expect([progress[0], progress.at(-1)]).toEqual([0, text.length])
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
  })
})

describe('errors', () => {
  test('have a class, the code, and the id of the request', async () => {
    const refused = await as({ token: 'nobody' })
      .search({ q: 'lamp' })
      .catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Unauthorized)
    expect(refused).toMatchObject({
      status: 401,
      code: 'unauthorized',
      requestId: expect.any(String),
      name: 'Unauthorized',
    })
    await expect(client.search({ q: '' })).rejects.toBeInstanceOf(BadRequest)
    await expect(client.units.get('unit_unknown')).rejects.toBeInstanceOf(NotFound)
    await expect(client.context({ namespace: 'elsewhere' })).rejects.toBeInstanceOf(Forbidden)
    await expect(client.graphql('{ unit(unitId: "unit_unknown") { text } }')).rejects.toBeInstanceOf(NotFound)
  })

  test('402 names the tier', async () => {
    const free = as({ token: await app.principal({ id: 'visitor', namespace: 'village', tier: 'free' }) })
    const refused = await free.answer({ q: 'lamp' }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(UpgradeRequired)
    expect(refused).toMatchObject({ requiredTier: 'pro' })
  })

  test('without a service there is a ConnectionError; an abort keeps its reason', async () => {
    const nowhere = createClient({ baseUrl: 'http://127.0.0.1:9', maxRetries: 0 })
    await expect(nowhere.health()).rejects.toBeInstanceOf(ConnectionError)
    const reason = new Error('changed my mind')
    await expect(client.health({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})

describe('retries', () => {
  const replies = (...statuses: number[]) => {
    const keys: (string | null)[] = []
    const fetch = async (_: unknown, init?: RequestInit) => {
      keys.push(new Headers(init?.headers).get('Idempotency-Key'))
      const status = statuses.shift() ?? 200
      return new Response('{}', { status, headers: status === 503 ? { 'Retry-After': '0' } : {} })
    }
    return { keys, client: createClient({ baseUrl: 'http://service', fetch: fetch as typeof globalThis.fetch }) }
  }

  test('a write is repeated with the same key', async () => {
    const { keys, client } = replies(503, 503)
    await client.units.ingest([])
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('reads carry no key; what a retry cannot mend is not repeated', async () => {
    const { keys, client } = replies(400)
    await expect(client.context()).rejects.toBeInstanceOf(BadRequest)
    expect(keys).toEqual([null])
  })

  test('faults that pass are not seen', async () => {
    const faults = [408, 425, 429, 502, 503, 504, 'reset', 'cut'] as const
    await using proxy = await startFlakyProxy(server.url, faults)
    const flaky = as({ baseUrl: proxy.url })
    const { hits } = await flaky.search({ q: 'lamp at dusk' })
    for (const _ of faults) expect((await flaky.search({ q: 'lamp at dusk' })).hits).toEqual(hits)
    expect(proxy.left).toEqual([])
  })

  test('the last failure is reported', async () => {
    await expect(replies(503, 503, 503).client.health()).rejects.toMatchObject({ name: 'Unavailable', retryAfter: 0 })
  })
})

describe('local checks', () => {
  test('a citation holds for its text alone', async () => {
    const { answer } = await client.answer({ q: 'who lights the lamp?' })
    const [citation] = answer?.citations ?? []
    if (!citation) throw new Error('no citation')
    const unit = await client.units.get(citation.unit_id)
    expect(await verifyCitation(citation, unit)).toEqual({ ok: true, reason: null })
    expect(await verifyCitation({ ...citation, quote: 'The keeper sleeps.' }, unit)).toMatchObject({ ok: false })
    expect(await verifyCitation(citation, `${unit.text} `)).toMatchObject({ ok: false })
    expect(await verifyCitation(citation, { text: null })).toMatchObject({ ok: false })
    expect(await verifyCitation(citation, { ...unit, unit_id: 'unit_other' })).toMatchObject({ ok: false })
    expect(await verifyCitation(citation, { text: unit.text ?? '' })).toMatchObject({ ok: true })
    const fromTheEnd = citation.start - (unit.text ?? '').length
    expect(await verifyCitation({ ...citation, start: fromTheEnd }, unit)).toMatchObject({ ok: false })
  })

  test('audit rows, proofs and exports hold until anything is changed', async () => {
    const old = await client.audit.checkpoint()
    await client.units.ingest([{ text: 'A gull on the mast.', modality: 'text' }])
    const { rows } = await client.audit.page({ limit: 50 })
    const now = await client.audit.checkpoint()
    const verifierKey = now.verifier_key
    for (const row of rows.filter(({ seq }) => seq <= now.size)) {
      const proof = await client.audit.proof({ seq: row.seq })
      expect(await verifyInclusion({ row, proof, verifierKey })).toEqual({ ok: true, reason: null })
      expect(await verifyInclusion({ row: { ...row, action: 'other' }, proof, verifierKey })).toMatchObject({
        ok: false,
      })
      const hashes = proof.hashes.toReversed()
      if (hashes.length > 1)
        expect(await verifyInclusion({ row, proof: { ...proof, hashes }, verifierKey })).toMatchObject({ ok: false })
    }
    const proof = await client.audit.proof({ from: old.size })
    expect(await verifyConsistency({ checkpoint: old, proof, verifierKey })).toEqual({ ok: true, reason: null })
    expect(await verifyConsistency({ checkpoint: old.note, proof, verifierKey })).toMatchObject({ ok: true })
    const forged = { ...old, note: old.note.replace(`\n${old.size}\n`, `\n${old.size - 1}\n`) }
    expect(await verifyConsistency({ checkpoint: forged, proof, verifierKey })).toMatchObject({ ok: false })
    expect(await verifyConsistency({ checkpoint: old, proof, verifierKey: 'mine+00000000+AAAA' })).toMatchObject({
      ok: false,
    })

    const [row] = rows.filter(({ seq }) => seq <= now.size)
    const included = row && (await client.audit.proof({ seq: row.seq }))
    if (!row || !included) throw new Error('no row')
    const { checkpoint } = included
    const other = { size: checkpoint.size + 1, root_hash: included.leaf_hash ?? '', origin: 'svc/audit/other' }
    const lies = [
      ...Object.entries({ ...other, namespace: 'other' }).map(([name, value]) => ({
        checkpoint: { ...checkpoint, [name]: value },
      })),
      ...[{ size: included.size - 1 }, { namespace: 'other' }, { from: 1 }, { leaf_hash: checkpoint.root_hash }],
    ]
    for (const lie of lies)
      expect(await verifyInclusion({ row, proof: { ...included, ...lie }, verifierKey })).toMatchObject({ ok: false })
    for (const lie of [...lies.slice(0, -2), { from: old.size - 1 }, { seq: 1 }, { leaf_hash: checkpoint.root_hash }])
      expect(await verifyConsistency({ checkpoint: old, proof: { ...proof, ...lie }, verifierKey })).toMatchObject({
        ok: false,
      })
    expect(missingRows(rows)).toBe(null)
    expect(missingRows([], { first: 1, last: 3 })).toBe('rows 1 to 3')
    expect(missingRows([{ seq: 2 }], { first: 1, last: 1 })).toBe('row 1')
    expect(missingRows(rows.filter(({ seq }) => ![2, 4, 5].includes(seq)))).toBe('rows 2, 4 to 5')

    const lines = await collect(client.audit.export())
    expect(await verifyExport(lines.toSpliced(1, 0, '').join('\n'))).toMatchObject({ ok: false, breakAt: 2 })
    expect(await verifyExport(`${lines.join('\n')}\n`)).toMatchObject({ ok: true })
    expect(await verifyExport(`${lines.join('\n')}\n\n`)).toMatchObject({ ok: false })
    expect(await verifyExport(lines, { checkpoint: now, verifierKey })).toMatchObject({ ok: true, rows: lines.length })
    expect(await verifyExport(lines.join('\n'))).toMatchObject({ ok: true, breakAt: null })
    const missing = lines.toSpliced(2, 1)
    expect(await verifyExport(missing)).toMatchObject({ ok: false, breakAt: 3, rows: 2 })
    expect((await verifyExport(lines.toSpliced(2, 3))).reason).toBe('row 3 is missing, and so is each up to row 5')
    const changed = lines.with(1, lines[1]?.replace('"outcome":"ok"', '"outcome":"no"') ?? '')
    expect(await verifyExport(changed)).toMatchObject({ ok: false, breakAt: 2 })
    expect(
      await verifyExport(lines.slice(0, -1 - (lines.length - now.size)), { checkpoint: now, verifierKey }),
    ).toMatchObject({ ok: false })
    expect(await verifyExport('nonsense')).toMatchObject({ ok: false, breakAt: 1 })
    expect(await verifyExport('')).toMatchObject({ ok: false })
  })
})
