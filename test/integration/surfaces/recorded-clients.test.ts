import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

/**
 * The requests of clients that are not installed here, as their releases send them: Open WebUI's by its source, LiteLLM's as
 * a server received them. Only the token, the question and the ids are this test's own.
 */

let app: TestApp
let token: string
let embedder: string
const lamp = 'The lighthouse keeper lights the lamp at dusk.'

beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'keeper', namespace: 'coast' })
  const units = [
    { text: lamp, doc_id: 'log', metadata: { year: 1907 } },
    { text: 'Ferries leave the harbour twice a day.', doc_id: 'plan', metadata: { year: 1990 } },
  ]
  await app.call('POST', '/v1/ingest', { token, scope: 'harbour/east', body: { units } })
  const { body } = await app.call('GET', '/openai/v1/models', { token })
  embedder = body.data[2].id
})
afterAll(() => app.close())

interface Recorded {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: object
}

const send = ({ method, path, headers = {}, body }: Recorded) =>
  app.call(method, `/openai/v1${path}`, { token, headers, ...(body && { body }) })

const question = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Who lights the lamp?' },
]

/** The events of a stream, as the client splits them. */
const eventsOf = (text: string) => {
  const lines = text.split('\n').filter((line) => line.startsWith('data: '))
  expect(lines.at(-1)).toBe('data: [DONE]')
  return lines.slice(0, -1).map((line) => JSON.parse(line.slice('data: '.length)))
}

test('Open WebUI 0.12.4: models, chats, tasks and embeddings', async () => {
  const json = { 'content-type': 'application/json' }
  // routers/openai.py, send_get_request: each model needs an id, a missing name is the id.
  const models = await send({ method: 'GET', path: '/models' })
  expect(models.body.data.map(({ id }: { id: string }) => id)).toContain('svc-answer')

  // routers/openai.py, generate_chat_completion: what the chat sends, with the parameters of the model's page.
  const chat = { model: 'svc-answer', messages: question, temperature: 0.8, max_tokens: 128 }
  const stream = { ...chat, stream: true, stream_options: { include_usage: true } }
  const streamed = await send({ method: 'POST', path: '/chat/completions', headers: json, body: stream })
  expect(streamed.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const events = eventsOf(streamed.body)
  expect(events.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(`${lamp} [1]`)
  expect(events.at(-1).usage.total_tokens).toBeGreaterThan(0)

  // routers/tasks.py, generate_title: not streamed, no options of streams.
  const title = {
    model: 'svc-answer',
    messages: [{ role: 'user', content: 'Title?' }],
    stream: false,
    max_tokens: 1000,
  }
  const named = await send({ method: 'POST', path: '/chat/completions', headers: json, body: title })
  expect(named).toMatchObject({ status: 200, body: { choices: [{ message: { content: expect.any(String) } }] } })

  // retrieval/utils.py, agenerate_openai_batch_embeddings: floats, because it asks for no encoding.
  const texts = { input: [lamp, 'Ferries'], model: embedder }
  const embedded = await send({ method: 'POST', path: '/embeddings', headers: json, body: texts })
  expect(embedded.body.data.map(({ embedding }: { embedding: number[] }) => typeof embedding[0])).toEqual(
    Array(2).fill('number'),
  )

  // routers/openai.py, verify_connection: a wrong key is JSON with its status.
  const refused = await app.call('GET', '/openai/v1/models', { token: 'svc_sk_wrong_1', headers: json })
  expect(refused).toMatchObject({ status: 401, body: { error: { message: expect.any(String) } } })
})

test('the OpenAI Chat Model of n8n: a response with what its node sends by default', async () => {
  // nodes/llms/LMChatOpenAi/common.ts: the filters of a file search are an empty object.
  const tool = { type: 'file_search', vector_store_ids: ['harbour/east'], filters: {}, max_num_results: 5 }
  const text = { format: { type: 'text' }, verbosity: 'medium' }
  const input = [{ type: 'message', role: 'user', content: 'Who lights the lamp?' }]
  const body = {
    model: 'svc-answer',
    input,
    text,
    tools: [tool],
    reasoning: { effort: 'medium' },
    service_tier: 'auto',
  }
  const { status, body: answer } = await send({ method: 'POST', path: '/responses', body })
  expect([status, answer.output.at(-1).content[0].text]).toEqual([200, `${lamp} [1]`])
})

test('LiteLLM 1.110.2: chats, embeddings, responses and vector stores', async () => {
  const openai = {
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': 'OpenAI/Python 3.57.0',
    'x-stainless-async': 'false',
    'x-stainless-lang': 'python',
    'x-stainless-raw-response': 'true',
    'x-stainless-read-timeout': '600.0',
    'x-stainless-retry-count': '0',
  }
  const own = { accept: '*/*', 'content-type': 'application/json', 'user-agent': 'litellm/1.110.2' }
  const chat = { model: 'svc-answer', messages: question, temperature: 0.2, max_tokens: 100 }
  const whole = await send({ method: 'POST', path: '/chat/completions', headers: openai, body: chat })
  expect(whole.body.choices[0].message).toMatchObject({ role: 'assistant', content: `${lamp} [1]` })
  const stream = { model: 'svc-answer', messages: question, stream: true, stream_options: { include_usage: true } }
  const streamed = await send({ method: 'POST', path: '/chat/completions', headers: openai, body: stream })
  expect(eventsOf(streamed.body).at(-1).usage).toEqual(whole.body.usage)

  const texts = { model: embedder, input: ['a lamp'] }
  const embedded = await send({ method: 'POST', path: '/embeddings', headers: openai, body: texts })
  expect(embedded.body.data[0].embedding.length).toBeGreaterThan(10)

  const ask = { model: 'svc-answer', input: 'Who lights the lamp?' }
  const response = await send({ method: 'POST', path: '/responses', headers: own, body: ask })
  expect(response).toMatchObject({ status: 200, body: { object: 'response', status: 'completed' } })

  // llms/openai/vector_stores/transformation.py sends every field, and encodes an id that is encoded.
  const beta = { ...own, 'openai-beta': 'assistants=v2' }
  const unsaid = { filters: null, max_num_results: null, ranking_options: null, rewrite_query: null }
  const search = (path: string, body: object) =>
    send({ method: 'POST', path, headers: beta, body: { ...unsaid, ...body } })
  const found = await search('/vector_stores/harbour%252Feast/search', { query: 'lamp' })
  expect(found).toMatchObject({ status: 200, body: { data: [{ file_id: 'log', content: [{ text: lamp }] }] } })
  const filters = { type: 'eq', key: 'year', value: 1907 }
  const both = { query: ['lamp', 'ferry'], filters, max_num_results: 3 }
  const filtered = await search('/vector_stores/harbour/search', both)
  expect(filtered.body).toMatchObject({
    search_query: ['lamp', 'ferry'],
    data: [{ file_id: 'log', attributes: { year: 1907 } }],
  })

  // So does the creation of one.
  const create = { name: 'harbour/west', file_ids: null, expires_after: null, chunking_strategy: null, metadata: null }
  const made = await send({ method: 'POST', path: '/vector_stores', headers: beta, body: create })
  expect(made).toMatchObject({ status: 200, body: { object: 'vector_store', id: 'harbour%2Fwest' } })
})
