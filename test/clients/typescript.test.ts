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
    expect((await client.units.page({ limit: 2, cursor: first.next_cursor ?? 0 })).units).toHaveLength(1)
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

describe('what REST does not have', () => {
  test('lists take filters, and readers change', async () => {
    const filters = { or: [{ external_id: 'nets' }, { metadata: { 'a_b.c_d': { exists: true } } }] }
    const [nets] = await collect(client.units.list({ filters, limit: 1 }))
    expect(nets).toMatchObject({ external_id: 'nets', acl_groups: [] })
    expect(await client.units.updateReaders({ ids: ['nets'], acl_groups: ['*'] })).toMatchObject({ matched: 1 })
    expect((await collect(client.units.list({ filters }))).map(({ acl_groups: groups }) => groups)).toEqual([['*']])
    await expect(client.units.updateReaders({ acl_groups: ['*'] })).rejects.toBeInstanceOf(BadRequest)
    const { count, facets } = await client.facets({ fields: ['modality'], filters })
    expect([count, facets[0]?.values]).toEqual([1, [{ value: 'text', count: 1 }]])
  })

  test('a file becomes a document', async () => {
    const page = new File(['# Tides\n\nThe spring tide comes at new moon.'], 'tides.md', { type: 'text/markdown' })
    const input = { scope: 'harbour/notes', metadata: { a_b: { c_d: 1 } } }
    const { document_id: id } = await client.documents.upload(page, { input })
    const ready = await client.documents.wait(id)
    expect(ready).toMatchObject({
      status: 'ready',
      doc_id: 'tides.md',
      scope: 'harbour/notes',
      metadata: input.metadata,
    })
    expect((await collect(client.documents.list({ limit: 1 }))).map(({ document_id }) => document_id)).toEqual([id])
    expect((await client.search({ q: 'spring tide', top_k: 1 })).hits[0]?.doc_id).toBe('tides.md')
    expect(await client.sources.get(ready.source_uri ?? '')).toMatchObject({ name: 'tides.md', bytes: 43 })
    expect(await client.documents.retry([id])).toMatchObject([{ document_id: id, status: 'ready' }])
    expect(await client.documents.delete([id])).toMatchObject({ matched: ready.units })
    const bytes = new TextEncoder().encode('No name.')
    await expect(client.documents.upload(bytes)).rejects.toBeInstanceOf(BadRequest)
    const { document_id: other } = await client.documents.upload(bytes, { name: 'notes/a.txt' })
    expect(await client.documents.wait(other)).toMatchObject({ status: 'ready', name: 'notes/a.txt' })
    expect(await client.documents.delete([other], { hard: true })).toMatchObject({ purged: 1 })
  })

  test('groups, keys and principals', async () => {
    // The owner of a namespace may fill all of its groups.
    const { namespace } = await client.namespaces.create({ namespace: 'keepers' })
    const own = as({ namespace })
    const { principal_id: ann } = await own.principals.create({ name: 'Ann' })
    expect(await own.principals.update(ann, { name: 'Anne', read_only: true })).toMatchObject({ name: 'Anne' })
    const group = await own.groups.change('keepers', { add: [ann], display_name: 'Keepers' })
    expect(group).toMatchObject({ name: 'keepers', display_name: 'Keepers', members: 1 })
    expect(await collect(own.groups.list({ prefix: 'keep', limit: 1 }))).toMatchObject([{ name: 'keepers' }])
    expect(await own.groups.rename('keepers', 'watch')).toMatchObject({ name: 'watch' })
    expect(await collect(own.groups.members('watch'))).toMatchObject([{ principal_id: ann, direct: true }])
    const { key, token: secret } = await client.keys.create({
      name: 'reader',
      perms: ['read'],
      scope_prefix: 'harbour',
    })
    expect(await as({ token: secret }).units.page({ limit: 1 })).toMatchObject({ context: { perms: ['read'] } })
    expect((await collect(client.keys.list())).map(({ id }) => id)).toContain(key.id)
    expect(await client.keys.revoke(key.id)).toMatchObject({ revoked: true })
    const { scope } = await own.scopes.create({ scope: 'pier' })
    const explained = await own.explainAccess({ principal_id: ann, scope })
    expect(explained).toMatchObject({ principal_name: 'Anne', write: { allowed: false } })
  })

  test('an answer comes as it is made', async () => {
    const events = await collect(client.answerStream({ q: 'who lights the lamp?' }))
    expect(events.map(({ event }) => event)).toEqual(['hits', 'sentence', 'done'])
    const [hits, sentence, done] = events
    expect(hits).toMatchObject({ answer: null, hits: [{ external_id: 'lamp' }] })
    if (sentence?.event !== 'sentence' || done?.event !== 'done') throw new Error('other events')
    expect(sentence.citations).toEqual(done.answer?.citations)
    await expect(collect(client.answerStream({ q: '' }))).rejects.toBeInstanceOf(BadRequest)
  })
})
