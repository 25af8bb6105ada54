import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

interface Hit {
  unit_id: string
  external_id: string
  score: number
  rank: number
  plane: string
  text: string
  highlights: { start: number; end: number }[]
}

const search = (body: object, token = service.tokens.enterprise, headers: Record<string, string> = {}) =>
  service.call('POST', '/v1/search', { token, body, headers })
const ids = async (body: object, token?: string, headers?: Record<string, string>) =>
  (await search(body, token, headers)).body.hits.map((hit: Hit) => hit.external_id)
const ingest = (scope: string, units: object[]) =>
  service.call('POST', '/v1/ingest', {
    token: service.tokens.enterprise,
    headers: { 'x-svc-scope': scope },
    body: { units },
  })

const anything = { string: expect.any(String), number: expect.any(Number), array: expect.any(Array) }

describe('the answer', () => {
  it('has exactly the keys of the contract', async () => {
    const headers = { 'x-request-id': 'search-1' }
    const { status, body } = await search({ q: 'battery overheat pier', top_k: 3 }, service.tokens.admin, headers)
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['hits', 'answer', 'trace', 'context', 'hidden_by_acl'])
    expect(body.answer).toBeNull()
    expect(body.hits.length).toBe(3)
    expect(Object.keys(body.hits[0]).sort()).toEqual(
      [
        ...['unit_id', 'external_id', 'score', 'rank', 'plane', 'modality', 'scope', 'doc_id', 'text'],
        ...['text_start', 'highlights'],
        ...['source_uri', 'mime', 'locator', 'metadata', 'created_at', 'explain'],
      ].sort(),
    )
    expect(body.hits[0].explain[0]).toEqual({
      leg: 'text',
      rank: 1,
      score: anything.number,
      normalized: 1,
      weight: 1,
    })
    expect(body.trace).toEqual({
      request_id: 'search-1',
      planes: ['text', 'visual', 'audio', 'doc_visual'],
      clamped_planes: [],
      legs: [{ leg: 'text', engine: anything.string, candidates: anything.number, took_ms: anything.number }],
      query: { phrases: [], excluded: [], prefix: null, syntax: 'web' },
      fusion: { method: anything.string, weights: { text: 1 } },
      rerank: 'off',
      more: true,
      answer: null,
      seq: anything.number,
      index_seq: body.trace.seq,
      degraded: [],
      took_ms: anything.number,
    })
  })

  it('ranks from 1, scores within 0..1 in descending order, and marks the words', async () => {
    const { body } = await search({ q: 'battery', top_k: 50 }, service.tokens.admin)
    const scores = body.hits.map((hit: Hit) => hit.score)
    expect(body.hits.map((hit: Hit) => hit.rank)).toEqual(scores.map((_: number, i: number) => i + 1))
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(Math.max(...scores)).toBeLessThanOrEqual(1)
    expect(Math.min(...scores)).toBeGreaterThanOrEqual(0)
    const [{ text, highlights }] = body.hits
    for (const { start, end } of highlights) expect(text.slice(start, end).toLowerCase()).toMatch(/^batter/)
    expect(highlights.length).toBeGreaterThan(0)
  })

  it('gives 10 hits unless asked otherwise', async () => {
    expect((await ids({ q: 'ferry' }, service.tokens.admin)).length).toBe(10)
    expect((await ids({ q: 'ferry', top_k: 1 }, service.tokens.admin)).length).toBe(1)
  })

  it('finds in other scripts', async () => {
    expect((await ids({ q: '最終便は何時', top_k: 1 }, service.tokens.admin))[0]).toBe('seed-visitors-japanese-leaflet')
  })
})

describe('what is searched', () => {
  it('is the scope of the header, else the query, else the body, else the active one', async () => {
    await ingest('s/one', [{ text: 'walrus', external_id: 'w1', acl_groups: ['*'] }])
    await ingest('s/two', [{ text: 'walrus', external_id: 'w2', acl_groups: ['*'] }])
    const token = service.tokens.enterprise
    expect((await ids({ q: 'walrus' })).sort()).toEqual(['w1', 'w2'])
    expect(await ids({ q: 'walrus', scope: 's/two' })).toEqual(['w2'])
    expect(await ids({ q: 'walrus', scope: 's/two' }, token, { 'x-svc-scope': 's/one' })).toEqual(['w1'])
    const byQuery = await service.call('POST', '/v1/search?scope=s/one', {
      token,
      body: { q: 'walrus', scope: 's/two' },
    })
    expect(byQuery.body.hits.map((hit: Hit) => hit.external_id)).toEqual(['w1'])
    expect((await ids({ q: 'walrus', scope: '*' })).sort()).toEqual(['w1', 'w2'])
    expect(await ids({ q: 'walrus', scope: 's/other' })).toEqual([])
  })

  it('is clamped to the planes of the tier, silently but for the trace', async () => {
    const { status, body } = await search({ q: 'x', planes: ['visual', 'text'] }, service.tokens.free)
    expect(status).toBe(200)
    expect(body.trace).toMatchObject({ planes: ['text'], clamped_planes: ['visual'] })
    const rerank = await search({ q: 'x', rerank: true }, service.tokens.free)
    expect(rerank.body.trace.rerank).toContain('ignored')
  })

  it('is never what the reader may not see; the count says that something is hidden', async () => {
    const admin = await ids({ q: 'cloud cost report', top_k: 3 }, service.tokens.admin)
    expect(admin).toContain('seed-ops-cloud-costs-page')
    const { body } = await search({ q: 'cloud cost report', top_k: 3 }, service.tokens.readonly)
    expect(JSON.stringify(body.hits)).not.toContain('seed-ops-cloud')
    expect(body.hidden_by_acl).toBeGreaterThan(0)
    expect(body.hidden_by_acl).toBeLessThanOrEqual(3)
  })
})

describe('filters', () => {
  beforeAll(async () => {
    const base = { text: 'narwhal', acl_groups: ['*'] }
    await ingest('s/filter', [
      { ...base, external_id: 'f1', doc_id: 'd1', mime: 'text/plain', metadata: { year: 2024, tags: ['a', 'b'] } },
      { ...base, external_id: 'f2', source_uri: 'u2', modality: 'ocr', metadata: { year: 2025, done: true } },
      { ...base, external_id: 'f3', modality: 'asr', locator: { kind: 'time_range', t_start_ms: 10, t_end_ms: 20 } },
      {
        ...base,
        external_id: 'f4',
        acl_owner: 'someone',
        metadata: { loc: { lines: { from: 3 } }, 'a.b': ['x', 1, null, { c: 2 }], e: {}, year: null },
      },
    ])
  })

  it.each([
    [{ doc_id: ['d1', 'd9'] }, ['f1']],
    [{ external_id: ['f2'] }, ['f2']],
    [{ source_uri: ['u2'] }, ['f2']],
    [{ mime: ['text/plain'] }, ['f1']],
    [{ modality: ['ocr', 'asr'] }, ['f2', 'f3']],
    [{ acl_owner: ['someone'] }, ['f4']],
    [{ created_after: 0 }, ['f1', 'f2', 'f3', 'f4']],
    [{ created_before: 1 }, []],
    [{ metadata: { year: 2024 } }, ['f1']],
    [{ metadata: { year: [2024, 2025] } }, ['f1', 'f2']],
    [{ metadata: { year: { gte: 2025 } } }, ['f2']],
    [{ metadata: { year: { lte: 2030 }, tags: 'b' } }, ['f1']],
    [{ metadata: { done: true } }, ['f2']],
    [{ metadata: { constructor: 'x' } }, []],
    [{ doc_id: 'd1' }, ['f1']],
    [{ doc_id: null, modality: 'text' }, ['f4']],
    [{ doc_id: { ne: 'd1' }, mime: { exists: false } }, ['f2', 'f3', 'f4']],
    [{ or: [{ doc_id: { prefix: 'd' } }, { metadata: { year: { gt: 2024 } } }] }, ['f1', 'f2']],
    [{ and: [{ not: { modality: ['ocr', 'asr'] } }, { acl_owner: { in: ['someone'] } }] }, ['f4']],
    [{ metadata: { 'loc.lines.from': { gte: 3, lt: 4 } } }, ['f4']],
    [{ metadata: { loc: { exists: true }, 'a\\.b': { all: ['x', 1] } } }, ['f4']],
    [{ metadata: { 'a.b': { exists: true } } }, []],
    [{ metadata: { year: { eq: null }, tags: { nin: ['a'] } } }, ['f3', 'f4']],
    [{ metadata: { tags: { contains: 'a' } } }, ['f1']],
    [{ mime: { contains: '/pl' } }, ['f1']],
    [{ created_at: { gt: '2026-01-01T00:00:00+02:00' }, updated_at: { exists: false } }, []],
    [{ created_before: '1970-01-01T00:00:01Z' }, []],
    [{ time_range: { t_start_ms: 20, t_end_ms: 30 } }, ['f3']],
    [{ time_range: { t_start_ms: 21, t_end_ms: 30 } }, []],
  ])('%o', async (filters, expected) => {
    expect((await ids({ q: 'narwhal', filters, scope: 's/filter' })).sort()).toEqual(expected)
    expect((await ids({ q: '', filters, scope: 's/filter' })).sort(), 'without a query').toEqual(expected)
  })
})

describe('own vectors', () => {
  it('rank, alone and beside text; the first fixes the dimensions', async () => {
    const unit = (external_id: string, text: string, vector: number[]) => ({
      external_id,
      text,
      vector,
      plane: 'doc_visual',
      acl_groups: ['*'],
    })
    await ingest('s/vec', [
      unit('v1', 'otter', [1, 0, 0]),
      unit('v2', 'otter', [0, 1, 0]),
      unit('v3', 'x', [0, 0.9, 0.1]),
    ])
    const near = (q: string) => ({ q, vector: { doc_visual: [0, 1, 0] }, scope: 's/vec' })
    expect(await ids(near(''))).toEqual(['v2', 'v3', 'v1'])
    expect(await ids(near('otter'))).toEqual(['v2', 'v1', 'v3'])
    const { body } = await search(near('otter'))
    const legs = body.trace.legs.map((leg: { leg: string }) => leg.leg)
    expect(legs.slice(0, 2)).toEqual(['text', 'vector:doc_visual'])
    const wrong = await search({ q: '', vector: { doc_visual: [1, 2] } })
    expect(wrong.body).toMatchObject({ error: 'bad_request', status: 400 })
    expect(wrong.body.detail).toContain('vector.doc_visual')
    expect((await ingest('s/vec', [unit('v4', 'x', [1])])).body.detail).toContain('units[0].vector')
    const stats = await service.call('GET', '/v1/catalog/stats', { token: service.tokens.enterprise })
    expect(stats.body.planes[3]).toMatchObject({ plane: 'doc_visual', model: 'own', dims: 3, vectors: 3 })
  })

  it('min_score leaves out what scores lower', async () => {
    const { body } = await search({ q: 'battery', min_score: 0.9 }, service.tokens.admin)
    expect(body.hits.length).toBeGreaterThan(0)
    for (const hit of body.hits) expect(hit.score).toBeGreaterThanOrEqual(0.9)
  })
})
