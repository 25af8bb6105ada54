import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const scope = { 'x-svc-scope': 'reject/here' }
const unit = { text: 'fine' }
const units = (fields: object) => ({ units: [{ ...unit, ...fields }] })
const nestedNot = (levels: number): object => (levels === 0 ? { doc_id: 'a' } : { not: nestedNot(levels - 1) })
const many = <T>(n: number, item: (i: number) => T) => Array.from({ length: n }, (_, i) => item(i))

/** What a refusal must leave as it was. */
async function state(): Promise<unknown> {
  const token = service.tokens.enterprise
  const stats = await service.call('GET', '/v1/catalog/stats', { token })
  const scopes = await service.call('GET', '/v1/scopes', { token })
  return { planes: stats.body.planes, storage: stats.body.storage, scopes: scopes.body }
}

function expectRefused({ status, body }: Answer, names: string): void {
  expect(body).toEqual({ error: 'bad_request', detail: expect.any(String), status: 400 })
  expect(status).toBe(400)
  expect(body.detail).toContain(names)
  expect(body.detail).not.toMatch(/zod|prisma|sql|undefined|at .*\.ts/i)
}

type Case = [what: string, body: unknown, names: string]

function refuses(path: string, cases: readonly Case[]): void {
  describe(`POST ${path} refuses`, () => {
    let before: unknown
    beforeAll(async () => {
      before = await state()
    })
    it.each(cases)('%s', async (_, body, names) => {
      const answer = await service.call('POST', path, { token: service.tokens.enterprise, headers: scope, body })
      expectRefused(answer, names)
    })
    afterAll(async () => expect(await state()).toEqual(before))
  })
}

const bodies: Case[] = [
  ['malformed JSON', '{"units": [', 'JSON'],
  ['an empty body', '', 'body'],
  ['an array', '[]', 'object'],
  ['a string', '"x"', 'object'],
  ['null', 'null', 'object'],
  ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'UTF-8'],
  ['a __proto__ key', '{"__proto__": {"q": "x"}}', '__proto__'],
  ['10,000 levels', `{"units":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 'nest'],
  ['17 MiB', JSON.stringify({ q: 'x'.repeat(17 * 2 ** 20) }), '16 MiB'],
]

refuses('/v1/ingest', [
  ...bodies,
  ['no units', {}, 'units'],
  ['0 Units', { units: [] }, 'units'],
  ['1,001 Units', { units: many(1001, () => unit) }, 'units'],
  ['units that are not a list', { units: 'x' }, 'units'],
  ['an unknown field', { ...units({}), mode: 'x' }, 'mode'],
  ['an unknown field of a Unit', { units: [unit, { ...unit, colour: 'red' }] }, 'units[1].colour'],
  ['GraphQL spelling', units({ docId: 'x' }), 'units[0].docId'],
  ['text of another type', units({ text: 5 }), 'units[0].text'],
  ['text over 1 MiB', units({ text: 'x'.repeat(2 ** 20 + 1) }), 'units[0].text'],
  ['text over 1 MiB in bytes', units({ text: '€'.repeat(2 ** 19) }), 'units[0].text'],
  ['NUL in text', units({ text: 'a\0b' }), 'units[0].text'],
  ['an unpaired surrogate in text', '{"units": [{"text": "\\ud800"}]}', 'units[0].text'],
  ['NUL in a metadata key', units({ metadata: { 'a\0': 1 } }), 'units[0].metadata'],
  ['an unpaired surrogate in a metadata value', '{"units":[{"text":"x","metadata":{"a":["\\udc00"]}}]}', 'metadata.a'],
  ['an unknown modality', units({ modality: 'smell' }), 'units[0].modality'],
  ['an unknown plane', units({ plane: 'astral' }), 'units[0].plane'],
  ['an empty Unit', { units: [{}] }, 'units[0]'],
  ['an id of 129 characters', units({ external_id: 'x'.repeat(129) }), 'units[0].external_id'],
  ['an empty id', units({ doc_id: '' }), 'units[0].doc_id'],
  ['a source_uri of 2,049 characters', units({ source_uri: 'x'.repeat(2049) }), 'units[0].source_uri'],
  ['65 groups', units({ acl_groups: many(65, String) }), 'units[0].acl_groups'],
  ['a group of 129 characters', units({ acl_groups: ['x'.repeat(129)] }), 'units[0].acl_groups[0]'],
  ['65 metadata keys', units({ metadata: Object.fromEntries(many(65, (i) => [`k${i}`, 1])) }), 'units[0].metadata'],
  ['metadata over 16 KiB', units({ metadata: { a: 'x'.repeat(16_384) } }), 'units[0].metadata'],
  [
    'metadata of six levels',
    units({ metadata: { some_Key: { b: { c: { d: { e: { f: 1 } } } } } } }),
    'units[0].metadata.some_Key.b.c.d.e: must be at most 5 levels deep',
  ],
  ['257 values in metadata', units({ metadata: { a: { b: many(257, Number) } } }), 'units[0].metadata.a.b: must have'],
  ['an integer beyond 2^53', units({ metadata: { a: [{ b: 2 ** 53 }] } }), 'units[0].metadata.a[0].b'],
  ['metadata that is a list', units({ metadata: [1] }), 'units[0].metadata'],
  ['a vector with null', units({ vector: [1, null] }), 'units[0].vector'],
  ['a vector with a string', units({ vector: [1, 'NaN'] }), 'units[0].vector'],
  ['a vector with 1e999', '{"units": [{"text": "x", "vector": [1e999]}]}', 'units[0].vector'],
  ['a vector beyond float32', units({ vector: [1e39] }), 'units[0].vector: must be 1 to 4096 finite float32 numbers'],
  ['an empty vector', units({ vector: [] }), 'units[0].vector'],
  ['a vector of 5,000', units({ vector: many(5000, () => 1) }), 'units[0].vector'],
  [
    'vectors of different lengths',
    {
      units: [
        { ...unit, vector: [1] },
        { ...unit, vector: [1, 2] },
      ],
    },
    'units[1].vector',
  ],
  ['a reversed time range', units({ locator: { kind: 'time_range', t_start_ms: 2, t_end_ms: 1 } }), 'units[0].locator'],
  ['a negative time', units({ locator: { kind: 'time_range', t_start_ms: -1, t_end_ms: 1 } }), 'locator.t_start_ms'],
  ['half a time range', units({ locator: { kind: 'time_range', t_start_ms: 1 } }), 'locator.t_end_ms'],
  ['a box beyond the page', units({ locator: { kind: 'bbox', x: 0.5, y: 0, w: 0.6, h: 1 } }), 'units[0].locator'],
  ['a box of 2', units({ locator: { kind: 'bbox', x: 0, y: 0, w: 2, h: 1 } }), 'units[0].locator.w'],
  ['line 0', units({ locator: { kind: 'line_range', start: 0, end: 1 } }), 'units[0].locator.start'],
  ['a reversed span', units({ locator: { kind: 'char_span', start: 9, end: 1 } }), 'units[0].locator'],
  ['a field of another kind', units({ locator: { kind: 'char_span', start: 0, end: 1, page: 1 } }), 'locator.page'],
  ['an unknown kind', units({ locator: { kind: 'orbit' } }), 'units[0].locator.kind'],
  ['`..` in a scope', units({ scope: 'reject/here/..' }), 'units[0].scope'],
  ['an empty segment', units({ scope: 'reject/here//x' }), 'units[0].scope'],
  ['nine segments', units({ scope: 'reject/here/3/4/5/6/7/8/9' }), 'units[0].scope'],
  ['a scope of 257 characters', units({ scope: `reject/here/${'x'.repeat(245)}` }), 'units[0].scope'],
  ['one external_id twice', { units: [1, 2].map(() => ({ ...unit, external_id: 'twice' })) }, 'units[1].external_id'],
])

refuses('/v1/search', [
  ...bodies,
  ['no q', {}, 'q'],
  ['an empty q', { q: ' ' }, 'q'],
  ['q of another type', { q: 1 }, 'q'],
  ['q of 8,193 characters', { q: 'x'.repeat(8193) }, 'q'],
  ['NUL in q', { q: '\0' }, 'q'],
  ...[0, 51, 1.5, '5', -1, true].map((k): Case => [`top_k ${JSON.stringify(k)}`, { q: 'x', top_k: k }, 'top_k']),
  ['an unknown field', { q: 'x', limit: 5 }, 'limit'],
  ['an unknown filter', { q: 'x', filters: { owner: ['x'] } }, 'filters.owner'],
  ['a filter that is not a list', { q: 'x', filters: { doc_id: [5] } }, 'filters.doc_id'],
  ['an empty filter list', { q: 'x', filters: { doc_id: [] } }, 'filters.doc_id'],
  ['a reversed time range', { q: 'x', filters: { time_range: { t_start_ms: 2, t_end_ms: 1 } } }, 'filters.time_range'],
  ['a range of two types', { q: 'x', filters: { metadata: { a: { gte: '1', lt: 2 } } } }, 'filters.metadata.a'],
  ['a range of booleans', { q: 'x', filters: { metadata: { a: { gt: true } } } }, 'filters.metadata.a.gt'],
  ['an unknown operator', { q: 'x', filters: { metadata: { a: { between: [1, 2] } } } }, 'filters.metadata.a.between'],
  ['an unknown operator on a field', { q: 'x', filters: { doc_id: { like: 'a%' } } }, 'filters.doc_id.like'],
  ['an operand of another type', { q: 'x', filters: { and: [{ doc_id: { ne: 5 } }] } }, 'filters.and[0].doc_id.ne'],
  [
    'a prefix that is a number',
    { q: 'x', filters: { metadata: { 'a.b': { prefix: 1 } } } },
    'filters.metadata.a.b.prefix',
  ],
  ['a modality that does not exist', { q: 'x', filters: { not: { modality: 'smell' } } }, 'filters.not.modality'],
  ['an empty list of an operator', { q: 'x', filters: { metadata: { a: { nin: [] } } } }, 'filters.metadata.a.nin'],
  ['no alternatives', { q: 'x', filters: { or: [] } }, 'filters.or'],
  ['an alternative without a condition', { q: 'x', filters: { or: [{ doc_id: 'a' }, {}] } }, 'filters.or[1]'],
  ['an unknown field of an alternative', { q: 'x', filters: { or: [{ docid: 'a' }] } }, 'filters.or[0].docid'],
  ['a path without a key', { q: 'x', filters: { metadata: { 'a..b': 1 } } }, 'filters.metadata.a..b'],
  ['a time without a zone', { q: 'x', filters: { created_after: '2026-05-01T00:00:00' } }, 'filters.created_after'],
  ['a prefix of a time', { q: 'x', filters: { created_at: { prefix: '2026' } } }, 'filters.created_at.prefix'],
  ['a filter of seven levels', { q: 'x', filters: nestedNot(7) }, 'filters: must be nested at most 6 deep'],
  [
    '65 conditions',
    { q: 'x', filters: { or: many(65, (i) => ({ doc_id: `d${i}` })) } },
    'filters: must have at most 64 conditions',
  ],
  ['an empty range', { q: 'x', filters: { metadata: { a: {} } } }, 'filters.metadata.a'],
  ['an unknown plane', { q: 'x', planes: ['astral'] }, 'planes[0]'],
  ['no planes', { q: 'x', planes: [] }, 'planes'],
  ['a vector of an unknown plane', { q: 'x', vector: { astral: [1] } }, 'vector.astral'],
  ['a bad vector', { q: 'x', vector: { doc_visual: ['a'] } }, 'vector.doc_visual'],
  ['min_score 2', { q: 'x', min_score: 2 }, 'min_score'],
  ['a bad scope', { q: 'x', scope: '../x' }, 'scope'],
])

refuses('/v1/units:delete', [
  ...bodies,
  ['nothing', {}, 'ids'],
  ['both', { ids: ['x'], filter: { doc_id: 'x' } }, 'ids'],
  ['no ids', { ids: [] }, 'ids'],
  ['an empty filter', { filter: {} }, 'filter'],
  ['a filter of nothing inside', { filter: { and: [{ metadata: {} }] } }, 'filter.and[0]'],
  ['a filter of empty metadata', { filter: { metadata: {} } }, 'filter'],
  ['an unknown filter', { filter: { text: 'x' } }, 'filter.text'],
  ['hard of another type', { ids: ['x'], hard: 'yes' }, 'hard'],
])

refuses('/v1/scopes', [
  ...bodies,
  ['no scope', {}, 'scope'],
  ...['', '/', 'a//b', '../a', 'a/./b', 'a b', 'ä', '*', 'a/*', '%2e%2e', `${'x'.repeat(257)}`].map(
    (bad): Case => [JSON.stringify(bad).slice(0, 20), { scope: bad }, 'scope'],
  ),
])

describe('the URL', () => {
  const cases: [string, string, string][] = [
    ['GET', '/v1/units?limit=0', 'limit'],
    ['GET', '/v1/units?limit=101', 'limit'],
    ['GET', '/v1/units?limit=abc', 'limit'],
    ['GET', '/v1/units?limit=1.5', 'limit'],
    ['GET', '/v1/units?cursor=-1', 'cursor'],
    ['GET', '/v1/units?cursor=abc', 'cursor'],
    ['GET', '/v1/units?cursor=99999999999999999999', 'cursor'],
    ['GET', '/v1/units?scope=a%00b', 'scope'],
    ['GET', '/v1/units?scope=..%2Fx', 'scope'],
    ['GET', '/v1/scopes/%2e%2e', 'scope'],
    ['GET', '/v1/scopes/a%2F%2e%2e%2Fb', 'scope'],
    ['GET', '/v1/units/%zz', 'id'],
    ['GET', '/v1/units/%00', 'id'],
    ['GET', '/v1/units/%ff', 'id'],
    ['DELETE', '/v1/scopes/a%20b', 'scope'],
  ]
  it.each(cases)('%s %s is refused', async (method, path, names) => {
    expectRefused(await service.callRaw(method, path, service.tokens.enterprise), names)
  })
})

describe('which error comes first', () => {
  const bad = { q: 1 }
  const nowhere = { 'x-svc-namespace': 'nowhere' }
  it.each([
    ['404 before 401', '/v1/nowhere', undefined, {}, bad, 404, 'not_found'],
    ['401 before 400', '/v1/search', undefined, {}, bad, 401, 'unauthorized'],
    ['401 for a bad token', '/v1/search', 'svc_sk_nobody_x', {}, bad, 401, 'unauthorized'],
    ['403 namespace before 400', '/v1/search', 'readonly', nowhere, bad, 403, 'forbidden'],
    ['400 schema before 403', '/v1/ingest', 'readonly', {}, { units: [{ text: 5 }] }, 400, 'bad_request'],
    ['403 before 402', '/v1/ingest', 'readonly', {}, { units: [{ text: 'x', plane: 'visual' }] }, 403, 'forbidden'],
  ] as const)('%s', async (_, path, who, headers, body, status, error) => {
    const token = who === 'readonly' ? service.tokens.readonly : who
    const answer = await service.call('POST', path, { token, headers, body })
    expect(answer.body).toEqual({ error, detail: expect.any(String), status })
    expect(answer.status).toBe(status)
  })

  it.each(['Basic eDp5', 'Bearer', 'Bearer a b', 'bearer_x'])('Authorization %s is 401', async (authorization) => {
    expect((await service.call('GET', '/v1/context', { headers: { authorization } })).status).toBe(401)
  })
})
