import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'

const mebibyte = 2 ** 20
const question = 'Which metal did the harbour crane use?'
const sentence = 'The harbour crane used vanadium for its hook.'

let app: TestApp
let token: string

beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'ada', namespace: 'acme' })
})
afterAll(() => app?.close())

const filler = (bytes: number, word: string) => `${word} `.repeat(Math.ceil(bytes / (word.length + 1))).slice(0, bytes)

async function ingest(units: object[]) {
  const { status, body } = await app.call('POST', '/v1/ingest', { token, scope: 'main', body: { units } })
  expect({ status, body }).toMatchObject({ status: 200 })
  return body.units.map(({ unit_id }: { unit_id: string }) => unit_id)
}

const search = (body: object, path = '/v1/search') => app.call('POST', path, { token, scope: 'main', body })

describe('a hit of a long text', () => {
  let text: string
  let unitId: string
  beforeAll(async () => {
    text = `${filler(300_000, 'straße')}\n\n${sentence} ${filler(150, 'crane')}\n\n${filler(300_000, 'gravel')}`
    ;[unitId] = await ingest([{ text, external_id: 'long', doc_id: 'long' }])
  })

  it('is cut to its best passage, and says where that stands', async () => {
    const { body } = await search({ q: question })
    const [hit] = body.hits
    expect(hit.unit_id).toBe(unitId)
    expect(Buffer.byteLength(hit.text)).toBeLessThanOrEqual(16_384)
    expect(Buffer.byteLength(hit.text)).toBeGreaterThan(12_000)
    expect(hit.text).toContain(sentence)
    expect(hit.text_start).toBeGreaterThan(0)
    expect(text.slice(hit.text_start, hit.text_start + hit.text.length)).toBe(hit.text)
    const marked = hit.highlights.map(({ start, end }: { start: number; end: number }) => hit.text.slice(start, end))
    expect(marked.slice(0, 3)).toEqual(['harbour', 'crane', 'used'])
    const whole = await app.call('GET', `/v1/units/${unitId}`, { token, scope: 'main' })
    expect(whole.body.text).toBe(text)
  })

  it('is highlighted where it matches best, and reranked by that', async () => {
    const around = (words: number) => Array.from({ length: words }, (_, i) => `plain${i % 50}`).join(' ')
    const passage = 'The osprey nests on the lighthouse gallery.'
    const late = `${around(1_000)} ${passage} ${around(400)}`
    const early = `${around(60)} A lighthouse ${around(40)} A gallery is above. ${around(40)} An osprey ${around(40)} nests.`
    const [lateId] = await ingest([{ text: late }, { text: early }])
    const { body } = await search({ q: 'osprey nests lighthouse gallery', rerank: true })
    const [hit] = body.hits
    expect([hit.unit_id, hit.text === late]).toEqual([lateId, true])
    const marked = hit.highlights.map(({ start, end }: { start: number; end: number }) => hit.text.slice(start, end))
    expect(marked).toEqual(['osprey', 'nests', 'lighthouse', 'gallery'])
  })

  it('is the same by GraphQL', async () => {
    const query = 'query ($q: String!) { search(input: {q: $q}) { hits { text textStart highlights { start end } } } }'
    const [rest, graphql] = await Promise.all([
      search({ q: question }),
      app.graphql(query, { q: question }, { token, scope: 'main' }),
    ])
    const [hit] = graphql.body.data.search.hits
    const { text, text_start, highlights } = rest.body.hits[0]
    expect(hit).toEqual({ text, textStart: text_start, highlights })
  })

  it('is quoted by its place in the whole text', async () => {
    const { body } = await search({ q: question }, '/v1/answer')
    expect(body.answer.citations.length).toBeGreaterThan(0)
    for (const { unit_id, quote, start, end, sha256 } of body.answer.citations) {
      expect(unit_id).toBe(unitId)
      expect(text.slice(start, end)).toBe(quote)
      expect(sha256).toBe(createHash('sha256').update(text).digest('hex'))
    }
    expect(body.answer.text).toContain('vanadium')
  })

  it('has at most 100 highlights, and one of a short text all of it from 0', async () => {
    await ingest([{ text: filler(5_000, 'otter'), external_id: 'short', doc_id: 'short' }])
    const { body } = await search({ q: 'otter' })
    expect(body.hits[0].text).toBe(filler(5_000, 'otter'))
    expect(body.hits[0].text_start).toBe(0)
    expect(body.hits[0].highlights.length).toBe(100)
  })
})

describe('an answer of a search', () => {
  it('stays below 8 MiB, whatever its Units hold', async () => {
    // A control character takes six characters in JSON.
    const worst = (word: string, length: number) => `${word} ${'\u0001'.repeat(length - word.length - 1)}`
    const units = Array.from({ length: 50 }, (_, i) => ({
      text: `${worst('manatee', 16_384)}${i < 5 ? '\u0001'.repeat(500_000) : ''}`,
      external_id: `${i}`.padEnd(128, '\u0001'),
      doc_id: 'd'.padEnd(128, '\u0001'),
      mime: 'm'.padEnd(255, '\u0001'),
      source_uri: 's'.padEnd(2_048, '\u0001'),
      metadata: Object.fromEntries(Array.from({ length: 60 }, (_, k) => [`k${k}`, 'v'.repeat(240)])),
    }))
    for (let i = 0; i < units.length; i += 10) await ingest(units.slice(i, i + 10))
    for (const path of ['/v1/search', '/v1/answer']) {
      const { status, body } = await search({ q: 'manatee', top_k: 50, rerank: true }, path)
      expect({ status, hits: body.hits?.length }).toEqual({ status: 200, hits: 50 })
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(8 * mebibyte)
    }
  })
})

describe('a list beyond its maximum', () => {
  it('is refused before its items are looked at', async () => {
    const ids = Array.from({ length: 2_000_000 }, () => '')
    const rest = await app.call('POST', '/v1/units:delete', { token, scope: 'main', body: { ids } })
    expect(rest.body).toEqual({ error: 'bad_request', detail: 'ids: must be at most 10000 items', status: 400 })
    const query = 'mutation ($input: DeleteUnitsInput!) { deleteUnits(input: $input) { seq } }'
    const { status, body } = await app.graphql(query, { input: { ids } }, { token, scope: 'main' })
    expect(status).toBe(400)
    expect(body.errors).toHaveLength(1)
    expect(body.errors[0].extensions).toMatchObject({ code: 'bad_request', status: 400 })
  })

  it('has one problem named, however many there are', async () => {
    const ids = Array.from({ length: 10_000 }, () => '')
    const { body } = await app.call('POST', '/v1/units:delete', { token, scope: 'main', body: { ids } })
    expect(body.detail).toBe('ids[0]: must not be empty')
  })
})

describe('the cost of a GraphQL operation', () => {
  const costOf = ({ body }: { body: { extensions?: unknown } }) => body.extensions

  it('stands in every answer, errors too', async () => {
    const graphql = (query: string, options: object = { token, scope: 'main' }) => app.graphql(query, {}, options)
    const answers = {
      '{ context { perms } }': 2,
      '{ unit(unitId: "none") { unitId } }': 2,
      '{ units(limit: 7) { units { unitId } } }': 9,
      '{ nonsense }': 0,
      '{': 0,
    }
    for (const [query, requested] of Object.entries(answers)) {
      expect(costOf(await graphql(query))).toEqual({ cost: { requested, limit: 10_000 } })
    }
    const refused = await graphql('{ context { perms } }', { token: 'wrong' })
    expect(refused.status).toBe(401)
    expect(costOf(refused)).toEqual({ cost: { requested: 2, limit: 10_000 } })
    const headers = { 'content-type': 'text/plain' }
    const unsupported = await app.call('POST', '/graphql', { token, body: '{}', headers })
    expect(unsupported.status).toBe(415)
    expect(costOf(unsupported)).toEqual({ cost: { requested: 0, limit: 10_000 } })
    const foreign = await app.call('POST', '/graphql', {
      body: '{}',
      headers: { cookie: 'svc.session_token=x', origin: 'https://evil.example' },
    })
    expect(foreign.status).toBe(403)
    expect(costOf(foreign)).toEqual({ cost: { requested: 0, limit: 10_000 } })
  })

  it('beyond the limit is 400, and nothing runs; REST does not know it', async () => {
    const writing = Array.from({ length: 21 }, (_, i) => `a${i}: compact { seq }`).join(' ')
    const before = await app.call('GET', '/v1/audit?limit=1', { token, scope: 'main' })
    const { status, body } = await app.graphql(`mutation { ${writing} }`, {}, { token, scope: 'main' })
    expect(status).toBe(400)
    expect(body.data ?? null).toBeNull()
    expect(body.errors).toHaveLength(1)
    expect(body.errors[0].extensions).toEqual({ code: 'bad_request', status: 400 })
    expect(body.errors[0].message).toMatch(/10000.*10521/)
    expect(costOf({ body })).toEqual({ cost: { requested: 21 * 501, limit: 10_000 } })
    const after = await app.call('GET', '/v1/audit?limit=100', { token, scope: 'main' })
    const actions = after.body.rows.filter(({ seq }: { seq: number }) => seq > before.body.rows[0].seq)
    expect(actions.map(({ action }: { action: string }) => action)).not.toContain('index.compact')
  })

  it('has its limit from the settings', async () => {
    const small = await boot({ config: { graphql: { documents: 'any', manifests: [], maxCost: 60 } } })
    const options = { token: superAdminToken }
    expect((await small.graphql('{ units(limit: 10) { units { unitId } } }', {}, options)).status).not.toBe(400)
    const { status, body } = await small.graphql('{ units(limit: 100) { units { unitId } } }', {}, options)
    expect(status).toBe(400)
    expect(body.extensions).toEqual({ cost: { requested: 102, limit: 60 } })
    expect((await small.call('GET', '/v1/units', options)).status).not.toBe(400)
    await small.close()
  })
})
