import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { schema } from '../../../src/graphql/schema.ts'
import { eventsOf, type SentEvent, subscribe } from '../../support/access/events.ts'
import { selectionOf } from '../../support/access/selection.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { type ModelServer, startModelServer } from '../../support/models/model-server.ts'
import { chatSettings, inferenceOf } from '../../support/models/remote-models.ts'
import { waited } from '../../support/waited.ts'

let server: ModelServer
let app: TestApp
let slow: TestApp
let token: string

const units = [
  { text: 'The harbour office opens at 08:30 on weekdays. It is at pier 4.', scope: 'a', acl_groups: ['*'] },
  { text: 'Ada Lindqvist leads the harbour office.', scope: 'a', acl_groups: ['*'] },
]

beforeAll(async () => {
  server = await startModelServer()
  app = await boot({ config: { audit: { reads: 'sync' } } })
  slow = await boot({ config: { inference: inferenceOf(chatSettings(server.url)) } })
  token = await app.principal({ id: 'asker', namespace: 'harbour' })
  expect((await app.call('POST', '/v1/ingest', { token, body: { units } })).status).toBe(200)
})
afterAll(async () => {
  await app.close()
  await slow.close()
  await server[Symbol.asyncDispose]()
})

const result = selectionOf(schema.getType('SearchResult') as never)
const sentence = 'index text faithfulness citations { marker unitId quote }'
const query = `subscription ($input: SearchInput!) { answer(input: $input) { __typename
  ... on AnswerSearched { result ${result} } ... on AnswerSentence { ${sentence} } ... on AnswerFinished { result ${result} } } }`

async function eventsFor(input: object, by = token, on = app): Promise<SentEvent[]> {
  const events: SentEvent[] = []
  for await (const event of eventsOf(await subscribe(on, by, query, { input }))) events.push(event)
  return events
}

/** Durations differ from one run to the next. */
const timeless = (value: unknown) => JSON.parse(JSON.stringify(value, (key, one) => (key === 'tookMs' ? 0 : one)))

test('hits come first, then each sentence, then what the query answers', async () => {
  const input = { q: 'When does the harbour office open and who leads it?' }
  const events = await eventsFor(input)
  const steps = events.flatMap(({ data }) => data?.data?.answer ?? [])
  const names = steps.map(({ __typename }) => __typename)
  expect(names).toEqual(['AnswerSearched', ...names.slice(1, -1).map(() => 'AnswerSentence'), 'AnswerFinished'])
  expect(events.at(-1)?.event).toBe('complete')
  const asked = `query ($input: SearchInput!) { answer(input: $input) ${result} }`
  const options = { token, headers: { 'x-request-id': 'the-same' } }
  const whole = (await app.graphql(asked, { input }, options)).body.data.answer
  expect(timeless(steps.at(-1).result)).toEqual(timeless(whole))
  expect(steps[0].result).toMatchObject({ answer: null, hits: whole.hits })
  const told = steps.slice(1, -1).map(({ __typename, ...rest }) => rest)
  expect(told.length).toBeGreaterThan(1)
  expect(whole.answer.sentences).toMatchObject(told)
  const { rows } = (await app.call('GET', '/v1/audit?limit=10', { token })).body
  expect(rows.filter(({ action }: { action: string }) => action === 'answer.run')).toHaveLength(2)
})

test('an abstention has no sentences', async () => {
  const steps = (await eventsFor({ q: 'zzz qqq xxx' })).flatMap(({ data }) => data?.data?.answer ?? [])
  expect(steps.map(({ __typename }) => __typename)).toEqual(['AnswerSearched', 'AnswerFinished'])
  expect(steps[1].result.answer).toMatchObject({ abstained: true, sentences: [] })
})

test('an error is the last event', async () => {
  const free = await app.principal({ id: 'free', namespace: 'small', tier: 'free' })
  const mute = await app.principal({ id: 'mute', namespace: 'harbour', grants: [] })
  const codeOf = async (input: object, by?: string) => JSON.stringify(await eventsFor(input, by))
  expect(await codeOf({ q: 'who' }, free)).toContain('"code":"upgrade_required"')
  expect(await codeOf({ q: 'who' }, mute)).toContain('"code":"forbidden"')
  expect(await codeOf({ q: 'who', answer: false })).toContain('"code":"bad_request"')
  const fixed = { units: [{ text: 'A vector.', scope: 'a', vector: [1, 2, 3] }] }
  expect((await app.call('POST', '/v1/ingest', { token, body: fixed })).status).toBe(200)
  const events = await eventsFor({ q: 'who', vector: { text: [1, 2] } })
  expect(events.map(({ event }) => event)).toEqual(['next', 'complete'])
  expect(events[0]?.data.errors[0].extensions).toMatchObject({ code: 'bad_request', status: 400 })
})

test('it ends within five seconds of a revoked key', async () => {
  const owner = await slow.principal({ id: 'owner', namespace: 'slow' })
  await slow.call('POST', '/v1/ingest', { token: owner, body: { units } })
  const mint = 'mutation { createApiKey(input: { name: "short" }) { key { id } token } }'
  const { key, token: short } = (await slow.graphql(mint, {}, { token: owner })).body.data.createApiKey
  const revoke = `mutation { revokeApiKey(id: "${key.id}") { revoked } }`
  server.always = { kind: 'delay', ms: 9_000 }
  const events: SentEvent[] = []
  const { ms } = await waited(async () => {
    for await (const event of eventsOf(
      await subscribe(slow, short, query, { input: { q: 'who leads the office?' } }),
    )) {
      events.push(event)
      if (events.length === 1) await slow.graphql(revoke, {}, { token: owner })
    }
  })
  server.always = null
  expect(ms).toBeLessThan(8_000)
  expect(events.map(({ event }) => event)).toEqual(['next', 'next', 'complete'])
  expect(events[1]?.data.errors[0].extensions).toMatchObject({ code: 'unauthorized', status: 401 })
})

describe('at /v1/answer', () => {
  let keeper: string
  const body = { q: 'Who lights the lamp?' }
  beforeAll(async () => {
    keeper = await app.principal({ id: 'keeper', namespace: 'coast' })
    const units = [{ text: 'The keeper lights the lamp at dusk.' }, { text: 'Ferries leave twice a day.' }]
    await app.call('POST', '/v1/ingest', { token: keeper, scope: 'harbour', body: { units } })
  })

  const ask = (sent: object, as = keeper, accept = 'text/event-stream') =>
    app.call('POST', '/v1/answer', { token: as, body: sent, headers: { accept } })

  /** Times and ids of requests differ between two answers. */
  const withoutIds = (value: object) =>
    JSON.parse(JSON.stringify(value, (key, one) => (key === 'took_ms' || key === 'request_id' ? null : one)))

  test('an answer comes as events, the last of which is the answer of JSON', async () => {
    const plain = await ask(body, keeper, 'application/json')
    const { status, headers, body: text } = await ask(body)
    expect(status).toBe(200)
    expect(withoutIds((await ask(body, keeper, 'text/event-stream, application/json')).body)).toEqual(
      withoutIds(plain.body),
    )
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
    expect(withoutIds(done)).toEqual(withoutIds(plain.body))
    expect(Object.keys(done)).toEqual(Object.keys(plain.body))
    expect(hits).toMatchObject({ answer: null, hits: plain.body.hits, hidden_by_acl: 0 })
    expect(sentence).toMatchObject({ index: 0, text: plain.body.answer.text, citations: plain.body.answer.citations })
    const { rows } = (await app.call('GET', '/v1/audit?limit=3', { token: keeper })).body
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
    const headers = {
      authorization: `Bearer ${keeper}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    }
    const request = new Request('http://localhost/v1/answer', { method: 'POST', headers, body: JSON.stringify(body) })
    const reader = (await app.app.fetch(request)).body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toMatch(/^event: hits\n/)
    await reader?.cancel()
    expect((await ask(body)).status).toBe(200)
  })
})
