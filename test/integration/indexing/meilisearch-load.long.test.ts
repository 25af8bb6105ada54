import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { type LocalMeilisearch, startMeilisearch } from '../../support/meilisearch/server.ts'
import { meilisearchOn } from '../../support/meilisearch/to-test.ts'

let local: LocalMeilisearch
let app: TestApp
let reader: string

/** Without digits, which would make it a name: a search looks for names a second time. */
const word = (i: number) => `zword${[...`${i}`].map((digit) => 'bcdfghjklm'[Number(digit)]).join('')}`
/** Each text contains ten words of the query in sequence, so that a search asks for many words and pairs. */
const textOf = (i: number) => Array.from({ length: 10 }, (_, at) => word((i + at) % 60)).join(' ')
const queryOf = (words: number) => Array.from({ length: words }, (_, i) => word(i)).join(' ')

beforeAll(async () => {
  local = await startMeilisearch()
  const textIndex = { ...meilisearchOn(local), pauseMs: 300 }
  app = await boot({ config: { textIndex, ingestWaitMs: 10_000 } })
  const grants = [{ scope: '*', perms: ['read', 'write', 'admin'] as const }]
  const owner = await app.principal({ id: 'owner', namespace: 'load', groups: ['crew'], grants })
  reader = await app.principal({ id: 'reader', namespace: 'load', groups: ['crew'], grants })
  // A text with more words than the index stores for comparison.
  const long = `${Array.from({ length: 400 }, (_, i) => `filler${i}`).join(' ')} ${queryOf(3)}`
  const texts = [...Array.from({ length: 360 }, (_, i) => textOf(i)), long]
  const units = texts.map((text, i) => ({ text, external_id: `${i}`, acl_groups: i % 9 === 0 ? [] : ['crew'] }))
  const { body } = await app.call('POST', '/v1/ingest', { token: owner, scope: 'dock', body: { units } })
  expect(body).toMatchObject({ indexed: true, counts: { created: units.length } })
})
afterAll(async () => {
  await app.close()
  await local[Symbol.asyncDispose]()
})
beforeEach(() => {
  local.fault = null
  local.faulty = () => true
  local.searches.length = 0
})

const search = async (q: string) => {
  const { status, body } = await app.call('POST', '/v1/search', { token: reader, body: { q, planes: ['text'] } })
  expect(status).toBe(200)
  return body
}
const health = async () => (await app.call('GET', '/v1/health')).body.status
const planeHealth = async () =>
  (await app.call('GET', '/v1/compaction', { token: reader })).body.planes.find(
    ({ plane }: { plane: string }) => plane === 'text',
  ).health

/** Requests since the start of the test. */
const sent = () => ({
  requests: local.searches.length,
  queries: local.searches.reduce((total, { body }) => total + body.queries.length, 0),
})

describe('what a search sends to Meilisearch', () => {
  // One ranking, and a second one without pairs that counts hidden Units.
  test.each([
    { words: 1, requests: 5, queries: 8 },
    { words: 8, requests: 6, queries: 55 },
    { words: 40, requests: 6, queries: 110 },
    { words: 200, requests: 6, queries: 110 },
  ])('of $words words is at most $queries queries in $requests requests', async ({ words, requests, queries }) => {
    const { hits, trace } = await search(queryOf(words))
    expect(trace.degraded).toEqual([])
    expect(hits).toHaveLength(10)
    expect(sent().requests).toBeLessThanOrEqual(requests)
    expect(sent().queries).toBeLessThanOrEqual(queries)
  })
})

describe('an engine that answers small things in time, and no search', () => {
  test('counts as down, and the response says that built-in vectors alone rank', async () => {
    expect([await health(), await planeHealth()]).toEqual(['ok', 'green'])
    local.fault = 'hang'
    local.faulty = (call) => call === 'POST /multi-search'
    const { hits, trace } = await search(queryOf(3))
    expect(trace.degraded).toEqual(['text', 'ranking:builtin-vectors'])
    expect(trace.legs).toMatchObject([{ leg: 'vector:text' }])
    expect(hits).toHaveLength(10)
    for (const { score } of hits) expect(score).toBeLessThanOrEqual(0.25)
    // After the pause, when all other calls succeed again.
    await new Promise((resolve) => setTimeout(resolve, 1000))
    expect([await health(), await planeHealth()]).toEqual(['degraded', 'red'])
    local.fault = null
    await expect.poll(async () => (await search(queryOf(3))).trace.degraded).toEqual([])
    expect([await health(), await planeHealth()]).toEqual(['ok', 'green'])
  })
})
