import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from './service.ts'

let service: Service
let token: string
beforeAll(async () => {
  service = await startService()
  token = service.tokens.enterprise
})
afterAll(() => service.stop())

const string = expect.any(String)
const number = expect.any(Number)
const inScope = (scope: string) => ({ 'x-svc-scope': scope })
const ingest = (scope: string, units: object[], as = token) =>
  service.call('POST', '/v1/ingest', { token: as, body: { units }, headers: inScope(scope) })
const remove = async (body: object, as = token, headers = {}) =>
  (await service.call('POST', '/v1/units:delete', { token: as, body, headers })).body
const list = (query = '', as = token, headers = {}) => service.call('GET', `/v1/units${query}`, { token: as, headers })
const get = (id: string, as = token) => service.call('GET', `/v1/units/${id}`, { token: as })

describe('ingest', () => {
  it('answers with ids, counts, seq and whether searches see it', async () => {
    const { status, body } = await ingest('in/one', [
      { text: 'a', external_id: 'a' },
      { text: 'b', modality: 'image' },
    ])
    expect(status).toBe(200)
    const unit = { unit_id: string, status: 'created', scope: 'in/one' }
    expect(body).toEqual({
      units: [
        { ...unit, external_id: 'a', modality: 'text', plane: 'text' },
        { ...unit, external_id: null, modality: 'image', plane: 'visual' },
      ],
      counts: { created: 2, updated: 0, unchanged: 0 },
      seq: number,
      indexed: true,
    })
  })

  it('is idempotent by external_id, per scope and writer', async () => {
    const send = (text: string, scope = 'in/two') => ingest(scope, [{ text, external_id: 'same' }])
    const first = await send('one')
    const again = await send('one')
    const other = await send('two')
    const elsewhere = await send('one', 'in/three')
    expect([first, again, other, elsewhere].map((r) => r.body.units[0].status)).toEqual([
      'created',
      'unchanged',
      'updated',
      'created',
    ])
    expect(again.body.seq).toBe(first.body.seq)
    expect(other.body.units[0].unit_id).toBe(first.body.units[0].unit_id)
    expect((await get(first.body.units[0].unit_id)).body.text).toBe('two')
    const admin = { 'x-svc-namespace': 'enterprise', ...inScope('in/two') }
    const theirs = await service.call('POST', '/v1/ingest', {
      token: service.superAdmin,
      headers: admin,
      body: { units: [{ text: 'x', external_id: 'same' }] },
    })
    expect(theirs.body.units[0].status).toBe('created')
  })

  it('puts a Unit into its own scope at or below the requested one, and nowhere else', async () => {
    expect((await ingest('in', [{ text: 'x', scope: 'in/deep/er' }])).body.units[0].scope).toBe('in/deep/er')
    expect((await ingest('in', [{ text: 'x', scope: 'inn' }])).status).toBe(403)
    expect((await ingest('*', [{ text: 'x', scope: 'in' }])).status).toBe(200)
    expect((await ingest('*', [{ text: 'x' }])).body.detail).toContain('units[0].scope')
  })

  it('keeps to the Free tier: planes and required_tier', async () => {
    const { free } = service.tokens
    expect((await ingest('f', [{ text: 'x', modality: 'doc_page' }], free)).status).toBe(200)
    const { status, body } = await ingest('f', [{ text: 'y' }, { text: 'x', modality: 'audio_utterance' }], free)
    expect(status).toBe(402)
    expect(body).toEqual({ error: 'upgrade_required', detail: string, status: 402, required_tier: 'pro' })
    expect((await list('', free)).body.units.length).toBe(1)
  })
})

describe('a Unit', () => {
  const full = {
    text: 'everything at once',
    modality: 'asr',
    plane: 'audio',
    source_uri: 's3://bucket/key',
    mime: 'audio/ogg',
    doc_id: 'doc-full',
    external_id: 'full',
    acl_groups: ['b', 'a', 'b'],
    acl_owner: 'enterprise-user',
    metadata: {
      ...{ Mixed_Case: 'kept', snake_key: 1.5, flag: false, list: ['x', 'y'], nothing: null, none: [] },
      loc: { Lines: { from_line: 1 }, 'a.b': [1, [2], { c: [null, true] }] },
    },
  }

  it.each([
    { kind: 'time_range', t_start_ms: 0, t_end_ms: 9_007_199_254_740_991 },
    { kind: 'bbox', page: 3, x: 0.1, y: 0.2, w: 0.3, h: 0.4 },
    { kind: 'bbox', page: null, x: 0, y: 0, w: 1, h: 1 },
    { kind: 'char_span', start: 0, end: 5 },
    { kind: 'line_range', start: 1, end: 1 },
  ])('comes back as it went in: %o', async (locator) => {
    const { body } = await ingest('out/full', [{ ...full, locator }])
    const { unit_id } = body.units[0]
    const read = await get(unit_id)
    expect(read.body).toEqual({
      ...full,
      unit_id,
      locator,
      scope: 'out/full',
      acl_groups: ['a', 'b'],
      created_at: number,
      updated_at: number,
    })
    expect((await list('?scope=out/full')).body.units).toEqual([read.body])
  })

  it('is the same 404 hidden, deleted, malformed or unknown', async () => {
    const { body } = await ingest('harbor/backend', [{ text: 'mine alone' }], service.tokens.admin)
    const hidden = await get(body.units[0].unit_id, service.tokens.readonly)
    const unknown = await get('unit_0000000000000000000000', service.tokens.readonly)
    expect(hidden.status).toBe(404)
    expect(hidden.body).toEqual(unknown.body)
    expect((await get(body.units[0].unit_id, service.tokens.admin)).status).toBe(200)
    await remove({ ids: [body.units[0].unit_id] }, service.tokens.admin)
    expect((await get(body.units[0].unit_id, service.tokens.admin)).body).toEqual(unknown.body)
  })
})

describe('listing', () => {
  it('keeps to what the parameters name, and ignores unknown ones', async () => {
    await ingest('list/by', [
      { text: 'a', external_id: 'l1', doc_id: 'd', mime: 'text/plain', source_uri: 's' },
      { text: 'b', external_id: 'l2', doc_id: 'e', modality: 'ocr' },
      { text: 'c', external_id: 'l3', plane: 'audio' },
    ])
    const found = async (query: string) => {
      const { status, body } = await list(`?scope=list%2Fby&${query}`)
      return status === 200 ? body.units.map((unit: { external_id: string }) => unit.external_id) : body.detail
    }
    expect(await found('doc_id=d')).toEqual(['l1'])
    expect(await found('doc_id=d&doc_id=e&other=x')).toEqual(['l1', 'l2'])
    expect(await found('external_id=l2&modality=ocr')).toEqual(['l2'])
    expect(await found('plane=audio')).toEqual(['l3'])
    expect(await found('mime=text%2Fplain&source_uri=s')).toEqual(['l1'])
    expect(await found('doc_id=d&plane=audio')).toEqual([])
    expect(await found('modality=smell')).toContain('modality: ')
    expect(await found('doc_id=')).toMatch(/^doc_id: /)
  })

  it('pages to the end in ingest order', async () => {
    const texts = Array.from({ length: 7 }, (_, i) => `page ${i}`)
    for (const text of texts) await ingest('list/pages', [{ text }])
    const seen: string[] = []
    for (let cursor: number | null = 0; cursor !== null; ) {
      const { body } = await list(`?scope=list%2Fpages&limit=3&cursor=${cursor}`)
      expect(Object.keys(body)).toEqual(['units', 'hidden_by_acl', 'context', 'next_cursor'])
      seen.push(...body.units.map((unit: { text: string }) => unit.text))
      cursor = body.next_cursor
    }
    expect(seen).toEqual(texts)
    expect((await list('?scope=list/pages&cursor=100')).body).toMatchObject({ units: [], next_cursor: null })
  })

  it('shows the read-only principal strictly fewer Units than the admin, and counts the rest of its scope', async () => {
    const admin = await list('', service.tokens.admin)
    const readonly = await list('', service.tokens.readonly)
    expect(readonly.body.units.length).toBeLessThan(admin.body.units.length)
    const backend = (await list('?scope=harbor/backend', service.superAdmin)).body.units.length
    expect(readonly.body.hidden_by_acl).toBe(backend - readonly.body.units.length)
    expect((await list('', service.superAdmin)).body.hidden_by_acl).toBe(0)
  })
})

describe('deleting', () => {
  const some = (n: number, fields: (i: number) => object) =>
    ingest(
      'del/ete',
      Array.from({ length: n }, (_, i) => ({ text: `d${i}`, ...fields(i) })),
    )

  it('tombstones by ids, and counts neither unknown nor hidden ones', async () => {
    const ids = (await some(2, () => ({}))).body.units.map((u: { unit_id: string }) => u.unit_id)
    const expected = { matched: 2, tombstoned: 2, purged: 0, sources_purged: 0, seq: number }
    expect(await remove({ ids: [...ids, 'unknown'] })).toEqual(expected)
    expect(await remove({ ids })).toMatchObject({ matched: 0 })
    expect(await remove({ ids, hard: true })).toMatchObject({ matched: 2, tombstoned: 0, purged: 2 })
    expect(await remove({ ids, hard: true })).toMatchObject({ matched: 0 })
  })

  it.each([
    ['doc_id', { doc_id: 'd1' }, { doc_id: 'd1' }],
    ['external_id', { external_id: 'e1' }, { external_id: 'e1' }],
    ['source_uri', { source_uri: 'u1' }, { source_uri: 'u1' }],
    ['modality', { modality: 'ocr' }, { modality: 'ocr' }],
    ['plane', { plane: 'audio' }, { plane: 'audio' }],
    ['scope', { scope: 'del/ete/here' }, { scope: 'del/ete/here' }],
    ['a metadata value', { metadata: { k: 'v' } }, { metadata: { k: 'v' } }],
    ['a metadata list', { metadata: { l: ['x', 'y'] } }, { metadata: { l: 'y' } }],
    ['one of several', { metadata: { m: 2 } }, { metadata: { m: [1, 2] } }],
    ['a range', { metadata: { n: 5 } }, { metadata: { n: { gte: 5, lte: 6 } } }],
    ['a boolean', { metadata: { b: true } }, { metadata: { b: true } }],
    [
      'a filter inside',
      { doc_id: 'd2' },
      { or: [{ doc_id: { prefix: 'd2' } }, { metadata: { 'k.l': 1 } }], not: { doc_id: null } },
    ],
  ])('by %s takes only what matches', async (_, fields, filter) => {
    const [target] = (await ingest('del/ete', [{ text: 't', ...fields }])).body.units
    const [bystander] = (await ingest('del/by', [{ text: 't', metadata: { k: 'w', n: '5', b: 'true' } }])).body.units
    expect(await remove({ filter }, token, inScope('del'))).toMatchObject({ matched: 1, tombstoned: 1 })
    expect((await get(target.unit_id)).status).toBe(404)
    expect((await get(bystander.unit_id)).status).toBe(200)
    await remove({ ids: [bystander.unit_id] })
  })

  it('by created_before is inclusive', async () => {
    const [unit] = (await ingest('del/time', [{ text: 't' }])).body.units
    const { created_at } = (await get(unit.unit_id)).body
    const filter = { scope: 'del/time' }
    expect(await remove({ filter: { ...filter, created_before: created_at - 1 } })).toMatchObject({ matched: 0 })
    expect(await remove({ filter: { ...filter, created_before: created_at } })).toMatchObject({ matched: 1 })
  })

  it('takes write on the scope and the right to read the Unit', async () => {
    const body = { filter: { scope: 'harbor/backend' } }
    const readonly = await service.call('POST', '/v1/units:delete', { token: service.tokens.readonly, body })
    expect(readonly.body).toEqual({ error: 'forbidden', detail: string, status: 403 })
    const foreign = { units: [{ text: 'not yours', acl_owner: 'someone-else' }] }
    const { body: made } = await service.call('POST', '/v1/ingest', {
      token,
      body: foreign,
      headers: inScope('del/acl'),
    })
    expect(await remove({ ids: [made.units[0].unit_id] })).toMatchObject({ matched: 0 })
    expect(await remove({ filter: { scope: 'del/acl' } })).toMatchObject({ matched: 0 })
  })
})
