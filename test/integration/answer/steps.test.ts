import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

interface Step {
  query: string
  hits: number
  kept: number
  took_ms: number
}

let app: TestApp
let token: string

/** Many passages that share words with the questions, so that one search does not find everything. */
const noise = Array.from({ length: 30 }, (_, i) => ({
  text: `Ferry number ${i} was built in a yard of line ${i}.`,
}))
const linked = [
  { text: 'The ferry Harbour Queen was built in the yard of Nordvik Marine.' },
  { text: 'Nordvik Marine\n\nAda Lindqvist is in charge there.' },
]
const everyone = (units: readonly object[]) => units.map((unit) => ({ acl_groups: ['*'], ...unit }))

beforeAll(async () => {
  app = await boot({ config: { audit: { reads: 'sync' } } })
  token = await app.principal({ id: 'asker', namespace: 'fleet' })
  await ingest(app, token, 'ferries', [...noise, ...linked])
})
afterAll(() => app.close())

async function ingest(on: TestApp, by: string, scope: string, units: readonly object[]) {
  const reply = await on.call('POST', '/v1/ingest', { token: by, scope, body: { units: everyone(units) } })
  expect(reply.body).toMatchObject({ indexed: true })
}

async function ask(body: object, by = token, scope = 'ferries') {
  const reply = await app.call('POST', '/v1/answer', { token: by, scope, body })
  expect(reply.status).toBe(200)
  const { hits, answer, trace } = reply.body
  // Whatever the steps, citations are verbatim and rest on the hits, and there are no more hits than requested.
  for (const { unit_id, quote, start, end } of answer.citations) {
    const hit = hits.find((one: { unit_id: string }) => one.unit_id === unit_id)
    expect(hit.text.slice(start, end)).toBe(quote)
  }
  expect(hits.map(({ rank }: { rank: number }) => rank)).toEqual(hits.map((_: unknown, i: number) => i + 1))
  const scores: number[] = hits.map(({ score }: { score: number }) => score)
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  const steps: Step[] = trace.answer.steps
  expect(steps.reduce((sum, { kept }) => sum + kept, 0)).toBe(hits.length)
  return { ...reply.body, steps, quotes: answer.citations.map(({ quote }: { quote: string }) => quote).join(' ') }
}

const question = 'Who directs the yard that built the ferry Harbour Queen?'

describe('an answer in steps', () => {
  test('follows a name that the first search brings in', async () => {
    const { steps, quotes, hits } = await ask({ q: question, top_k: 4 })
    expect(steps[0]?.query).toBe(question)
    expect(steps[1]?.query).toMatch(/^Nordvik Marine\b.*directs/u)
    expect(quotes).toContain('Nordvik Marine.')
    expect(quotes).toContain('Ada Lindqvist')
    expect(hits).toHaveLength(4)
  })

  test.each([{ agentic: false }, { max_steps: 1 }])('keeps to one search with %j', async (body) => {
    const { steps } = await ask({ q: question, top_k: 4, ...body })
    expect(steps).toMatchObject([{ query: question, hits: 4, kept: 4 }])
  })

  test('makes no more searches than allowed, whatever a passage names', async () => {
    const names = Array.from({ length: 100 }, (_, i) => `Captain${i} Vane${i}`).join(', ')
    const units = [{ text: `The storm of the century was survived by ${names}.` }, { text: 'Vane is a name.' }]
    await ingest(app, token, 'hostile', units)
    const q = 'Who survived the storm of the century and which medal did they get from whom?'
    for (const max_steps of [1, 2, 8]) {
      const { steps } = await ask({ q, max_steps }, token, 'hostile')
      expect(steps.length).toBeLessThanOrEqual(max_steps)
      expect(new Set(steps.map(({ query }: Step) => query)).size).toBe(steps.length)
      for (const { query } of steps as Step[]) expect(query.length).toBeLessThanOrEqual(300)
    }
  })

  test('is one row of the audit log, with its steps', async () => {
    const before = await app.call('GET', '/v1/audit?limit=1', { token })
    const { steps } = await ask({ q: question, top_k: 4 })
    const { rows } = (await app.call('GET', '/v1/audit?limit=5', { token })).body
    const fresh = rows.filter(({ seq }: { seq: number }) => seq > before.body.rows[0].seq)
    expect(fresh.filter(({ action }: { action: string }) => action === 'answer.run')).toMatchObject([
      { detail: { steps: steps.length } },
    ])
    expect(steps.length).toBeGreaterThan(1)
  })

  test('keeps to the access, scope and filters of the question', async () => {
    const guest = await app.principal({ id: 'guest', namespace: 'fleet', grants: [{ scope: 'open', perms: ['read'] }] })
    await ingest(app, token, 'open', [...noise, linked[0] ?? {}])
    const shut = [
      { ...linked[1], acl_groups: ['captains'] },
      { text: 'The ferry Harbour Queen was built in the yard of Secret Works.', acl_groups: ['captains'] },
      { text: 'Secret Works\n\nThe director of Secret Works is Mallory.', acl_groups: ['captains'] },
    ]
    const alone = await ask({ q: question, top_k: 4 }, guest, 'open')
    await ingest(app, token, 'open', shut)
    const among = await ask({ q: question, top_k: 4 }, guest, 'open')
    const timeless = (steps: Step[]) => steps.map(({ took_ms: _, ...rest }) => rest)
    expect(timeless(among.steps)).toEqual(timeless(alone.steps))
    expect(among.answer).toEqual(alone.answer)
    expect(among.steps.length).toBeGreaterThan(1)
    const filtered = await ask({ q: question, top_k: 4, filters: { doc_id: ['none'] } })
    expect(filtered.steps).toMatchObject([{ hits: 0, kept: 0 }])
  })

  test.each([0, 9, 1.5, 'two'])('is refused with max_steps %j', async (max_steps) => {
    const { status, body } = await app.call('POST', '/v1/answer', { token, body: { q: 'x', max_steps } })
    expect(status).toBe(400)
    expect(body.detail).toMatch(/max_?steps/iu)
  })
})
