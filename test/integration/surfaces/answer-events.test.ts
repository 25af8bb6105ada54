import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
let token: string
const body = { q: 'Who lights the lamp?' }

beforeAll(async () => {
  app = await boot({ config: { audit: { reads: 'sync' } } })
  token = await app.principal({ id: 'keeper', namespace: 'coast' })
  const units = [{ text: 'The keeper lights the lamp at dusk.' }, { text: 'Ferries leave twice a day.' }]
  await app.call('POST', '/v1/ingest', { token, scope: 'harbour', body: { units } })
})
afterAll(() => app.close())

const ask = (sent: object, as = token, accept = 'text/event-stream') =>
  app.call('POST', '/v1/answer', { token: as, body: sent, headers: { accept } })

/** Times differ between two answers. */
const timeless = (value: object) =>
  JSON.parse(JSON.stringify(value, (key, one) => (key === 'took_ms' || key === 'request_id' ? null : one)))

test('an answer comes as events, the last of which is the answer of JSON', async () => {
  const plain = await ask(body, token, 'application/json')
  const { status, headers, body: text } = await ask(body)
  expect(status).toBe(200)
  expect(timeless((await ask(body, token, 'text/event-stream, application/json')).body)).toEqual(timeless(plain.body))
  expect(headers.get('content-type')).toBe('text/event-stream')
  expect(headers.get('cache-control')).toBe('private, no-store')
  const events = `${text}`
    .trimEnd()
    .split('\n\n')
    .map((event) => {
      const [, name, data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? []
      return { name, data: JSON.parse(data) }
    })
  expect(events.map(({ name }) => name)).toEqual(['hits', 'sentence', 'done'])
  const [hits, sentence, done] = events.map(({ data }) => data)
  expect(timeless(done)).toEqual(timeless(plain.body))
  expect(Object.keys(done)).toEqual(Object.keys(plain.body))
  expect(hits).toMatchObject({ answer: null, hits: plain.body.hits, hidden_by_acl: 0 })
  expect(sentence).toMatchObject({ index: 0, text: plain.body.answer.text, citations: plain.body.answer.citations })
  const { rows } = (await app.call('GET', '/v1/audit?limit=3', { token })).body
  expect(rows.map(({ action, detail }: { action: string; detail: object }) => ({ action, ...detail }))).toEqual(
    Array(3).fill(expect.objectContaining({ action: 'answer.run', citations: 1, abstained: false })),
  )
})

test('what is refused before the first event is refused as ever', async () => {
  expect(await ask({ q: '' })).toMatchObject({ status: 400, body: { error: 'bad_request' } })
  expect(await ask({ q: 'a', top_k: 0 })).toMatchObject({
    status: 400,
    body: { detail: expect.stringMatching(/^top_k: /) },
  })
  expect(await ask(body, 'svc_sk_no_1')).toMatchObject({ status: 401 })
  const free = await app.principal({ id: 'free', namespace: 'small', tier: 'free' })
  expect(await ask(body, free)).toMatchObject({ status: 402, body: { required_tier: 'pro' } })
})

test('a reader that leaves ends the events', async () => {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream', 'content-type': 'application/json' }
  const request = new Request('http://localhost/v1/answer', { method: 'POST', headers, body: JSON.stringify(body) })
  const reader = (await app.app.fetch(request)).body?.getReader()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toMatch(/^event: hits\n/)
  await reader?.cancel()
  expect((await ask(body)).status).toBe(200)
})
