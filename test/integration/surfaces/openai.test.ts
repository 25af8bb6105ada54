import { createHash } from 'node:crypto'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { refusalOf, soon, wide } from '../../support/openai.ts'
import { type LoggedServer, listen } from '../../support/process/http-server.ts'

let app: TestApp
let server: LoggedServer
let token: string
let openai: OpenAI
const lamp = 'The lighthouse keeper lights the lamp at dusk.'
const question = 'Who lights the lamp?'

beforeAll(async () => {
  app = await boot({ config: { audit: { reads: 'sync', queries: { kind: 'text' } } } })
  server = await listen(app)
  token = await app.principal({ id: 'keeper', namespace: 'coast' })
  openai = clientOf(token)
  const units = [
    { text: lamp, external_id: 'lamp', doc_id: 'log', acl_groups: ['*'], metadata: { year: 1907, path: 'log.md' } },
    { text: 'Ferries leave the harbour twice a day.', external_id: 'ferry', metadata: { year: 1990 } },
  ]
  await app.call('POST', '/v1/ingest', { token, scope: 'harbour/east', body: { units } })
})
afterAll(async () => {
  await server.close()
  await app.close()
})

const clientOf = (apiKey: string, headers: Record<string, string> = {}) =>
  new OpenAI({ apiKey, baseURL: new URL('/openai/v1', server.url).href, maxRetries: 0, defaultHeaders: headers })

test('models are those that answer, search and embed', async () => {
  const ids = (await openai.models.list()).data.map(({ id }) => id)
  expect(ids.slice(0, 2)).toEqual(['svc-answer', 'svc-search'])
  expect(await openai.models.retrieve(ids[2] ?? '')).toMatchObject({ object: 'model', id: ids[2] })
  expect(await refusalOf(openai.models.retrieve('gpt'))).toMatchObject({ status: 404, code: 'not_found' })
})

test('embeddings come as floats and in base64, the same', async () => {
  const model = (await openai.models.list()).data[2]?.id ?? ''
  // By default the client asks for base64, and decodes it.
  const decoded = await openai.embeddings.create({ model, input: [lamp, 'Ferries'] })
  const floats = await openai.embeddings.create({ model, input: lamp, encoding_format: 'float' })
  expect(decoded.data).toHaveLength(2)
  const [first] = decoded.data.map(({ embedding }) => embedding)
  expect(first?.length).toBeGreaterThan(10)
  expect(floats.data[0]?.embedding).toEqual(first)
  expect(floats.usage.total_tokens).toBeGreaterThan(0)
  for (const [input, param] of [
    [[], 'input'],
    [[1, 2], 'input'],
    ['   ', 'input[0]'],
  ] as const) {
    const error = await refusalOf(openai.embeddings.create({ model, input: wide(input) }))
    expect(error).toMatchObject({ status: 400, code: 'bad_request', param, type: 'invalid_request_error' })
  }
  expect(await refusalOf(openai.embeddings.create({ model: 'ada', input: 'a' }))).toMatchObject({
    status: 404,
    param: 'model',
  })
})

test('a chat answers with citations that lead to Units', async () => {
  const messages = [
    { role: 'system' as const, content: 'Be brief.' },
    { role: 'user' as const, content: question },
  ]
  const completion = wide(await openai.chat.completions.create({ model: 'svc-answer', messages, temperature: 0.2 }))
  const [{ message, finish_reason }] = completion.choices
  expect(finish_reason).toBe('stop')
  expect(message.content).toBe(`${lamp} [1]`)
  const [{ type, url_citation }] = message.annotations
  expect(type).toBe('url_citation')
  expect(message.content.slice(url_citation.start_index, url_citation.end_index)).toBe('[1]')
  const [{ unit_id, quote, sha256 }] = JSON.parse(completion.metadata.citations)
  expect(quote).toBe(lamp)
  expect(sha256).toBe(createHash('sha256').update(lamp).digest('hex'))
  expect(url_citation).toMatchObject({ url: `${server.url}/view?unit=${unit_id}`, title: 'log' })
  expect(completion.usage.total_tokens).toBe(completion.usage.prompt_tokens + completion.usage.completion_tokens)

  const stream = await openai.chat.completions.create({
    model: 'svc-answer',
    messages,
    stream: true,
    stream_options: { include_usage: true },
  })
  const chunks = []
  for await (const chunk of stream) chunks.push(wide(chunk))
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }: { delta: object }) => delta))
  expect(deltas.map(({ content = '' }) => content).join('')).toBe(message.content)
  expect(deltas[0].role).toBe('assistant')
  expect(deltas.at(-1).annotations).toEqual(message.annotations)
  expect(chunks.at(-1).usage).toEqual(completion.usage)
  expect(chunks.find(({ metadata }) => metadata).metadata).toEqual(completion.metadata)
})

test('earlier turns are the history of a follow-up', async () => {
  await openai.chat.completions.create({
    model: 'svc-answer',
    messages: [
      { role: 'user', content: 'Who is Marta Holm?' },
      { role: 'assistant', content: 'Marta Holm keeps the light. [1]' },
      { role: 'user', content: [{ type: 'text', text: 'Where was she born?' }] },
    ],
  })
  const { body } = await app.call('GET', '/v1/audit?limit=1', { token })
  expect(body.rows[0].detail).toMatchObject({ via: 'openai', query: 'Where was Marta Holm born?' })
})

test('an abstention is a sentence', async () => {
  const sent = { model: 'svc-answer', messages: [{ role: 'user' as const, content: 'What does a submarine cost?' }] }
  const whole = wide(await openai.chat.completions.create(sent))
  expect(whole).toMatchObject({
    choices: [{ finish_reason: 'stop', message: { annotations: [] } }],
    metadata: { abstained: 'true', citations: '[]' },
  })
  let streamed = ''
  for await (const chunk of await openai.chat.completions.create({ ...sent, stream: true }))
    streamed += chunk.choices[0]?.delta.content ?? ''
  expect(streamed).toBe(whole.choices[0].message.content)
  expect(streamed).not.toBe('')
})

test('the model of searches shows what it finds', async () => {
  const found = wide(
    await openai.chat.completions.create({
      model: 'svc-search:harbour',
      messages: [{ role: 'user', content: 'ferries' }],
    }),
  )
  expect(found.choices[0].message.content).toBe('Ferries leave the harbour twice a day. [1]')
  expect(JSON.parse(found.metadata.citations)[0].quote).toBe('Ferries leave the harbour twice a day.')
})

test('what is not offered is refused, and names the field', async () => {
  const user = { role: 'user', content: question }
  for (const [more, param] of [
    [{ tools: [{ type: 'function', function: { name: 'f' } }] }, 'tools'],
    [{ n: 2 }, 'n'],
    [{ logprobs: true }, 'logprobs'],
    [{ response_format: { type: 'json_object' } }, 'response_format.type'],
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'system', content: 'x' }] }, 'messages'],
    [{ messages: [{ role: 'user', content: ' ' }] }, 'messages[0].content'],
    [{ messages: [{ role: 'user', content: 'x'.repeat(8193) }] }, 'messages[0].content'],
    [
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] }] },
      'messages[0].content[0].type',
    ],
  ] as const) {
    const sent = { model: 'svc-answer', messages: [user], ...more }
    const error = await refusalOf(openai.chat.completions.create(wide(sent)))
    expect(error, param).toMatchObject({ status: 400, code: 'bad_request', type: 'invalid_request_error', param })
  }
  expect(await refusalOf(openai.chat.completions.create(wide({ model: 'gpt-9', messages: [user] })))).toMatchObject({
    status: 404,
    param: 'model',
  })
  expect(
    await refusalOf(openai.responses.create({ model: 'svc-answer', input: 'a', previous_response_id: 'x' })),
  ).toMatchObject({
    param: 'previous_response_id',
  })
  expect(
    await refusalOf(
      openai.responses.create({ model: 'svc-answer', input: 'a', tools: [wide({ type: 'web_search' })] }),
    ),
  ).toMatchObject({
    status: 400,
    param: 'tools[0].type',
  })
})

test('a response searches files and cites them', async () => {
  const request = {
    model: 'svc-answer',
    input: question,
    tools: [{ type: 'file_search' as const, vector_store_ids: ['harbour%2Feast'], max_num_results: 3 }],
    include: ['file_search_call.results' as const],
  }
  const response = await openai.responses.create(request)
  expect(response.output_text).toBe(`${lamp} [1]`)
  const [search, message] = wide(response.output)
  expect(search).toMatchObject({ type: 'file_search_call', queries: [question], status: 'completed' })
  expect(search.results[0]).toMatchObject({ file_id: 'log', filename: 'log.md', text: lamp })
  expect(message.content[0].annotations).toEqual([
    { type: 'file_citation', index: lamp.length + 1, file_id: 'log', filename: 'log.md' },
  ])
  const events = []
  const stream = openai.responses.stream(request)
  for await (const event of stream) events.push(event)
  const last = wide(await stream.finalResponse())
  expect(last.output_text).toBe(response.output_text)
  expect(last.metadata).toEqual(response.metadata)
  // Typed clients take no other values.
  for (const value of Object.values(response.metadata ?? {})) expect(value).toBeTypeOf('string')
  expect(response.usage).toMatchObject({ input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 } })
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, i) => i))
})

test('scopes are vector stores, which are searched with filters', async () => {
  const stores = await openai.vectorStores.list()
  expect(stores.data.map(({ id, name }) => ({ id, name }))).toEqual([{ id: 'harbour%2Feast', name: 'harbour/east' }])
  const id = stores.data[0]?.id ?? ''
  expect(await openai.vectorStores.retrieve(id)).toMatchObject({ id, file_counts: { completed: 2, failed: 0 } })
  const found = await openai.vectorStores.search(id, { query: 'lamp or ferries', max_num_results: 5 })
  expect(found.data).toHaveLength(2)
  const filters = { type: 'eq' as const, key: 'year', value: 1907 }
  const filtered = await openai.vectorStores.search(id, { query: 'lamp or ferries', filters, rewrite_query: true })
  expect(filtered.data).toMatchObject([
    { file_id: 'log', filename: 'log.md', attributes: { year: 1907 }, content: [{ type: 'text', text: lamp }] },
  ])
  const [lampOf, ferryOf] = ['log', expect.any(String)]
  for (const [sent, expected] of [
    [{ type: 'ne', key: 'year', value: 1907 }, [ferryOf]],
    [{ type: 'gt', key: 'year', value: 1907 }, [ferryOf]],
    [{ type: 'lte', key: 'year', value: 1907 }, [lampOf]],
    [{ type: 'in', key: 'year', value: [1907, 1] }, [lampOf]],
    [{ type: 'nin', key: 'file_id', value: ['log'] }, [ferryOf]],
    [{ type: 'eq', key: 'filename', value: 'log.md' }, [lampOf]],
    [
      {
        type: 'or',
        filters: [
          { type: 'eq', key: 'year', value: 1 },
          {
            type: 'and',
            filters: [
              { type: 'gte', key: 'year', value: 1990 },
              { type: 'lt', key: 'year', value: 1991 },
            ],
          },
        ],
      },
      [ferryOf],
    ],
  ] as const) {
    const { data } = await openai.vectorStores.search(id, { query: 'lamp or ferries', filters: wide(sent) })
    expect(
      data.map(({ file_id }) => file_id),
      JSON.stringify(sent),
    ).toEqual(expected)
  }
  const high = await openai.vectorStores.search(id, { query: lamp, ranking_options: { score_threshold: 0.99 } })
  expect(high.data.length).toBeLessThan(2)
  const manyPhrases = Array.from({ length: 65 }, (_, i) => `"${i}"`).join(' ')
  for (const [sent, param] of [
    [{ query: 'a', max_num_results: 51 }, 'max_num_results'],
    [{ query: 'a', filters: { type: 'like', key: 'a', value: 'b' } }, 'filters.type'],
    [{ query: 'a', filters: { type: 'and', filters: [{ type: 'eq', key: 'a' }] } }, 'filters.filters[0].value'],
    [{ query: 'a', limit: 3 }, 'limit'],
    [{ query: manyPhrases }, 'query'],
  ] as const)
    expect(await refusalOf(openai.vectorStores.search(id, wide(sent))), param).toMatchObject({ status: 400, param })
  expect(await refusalOf(openai.vectorStores.retrieve('nowhere'))).toMatchObject({ status: 404 })
})

test('a file becomes a document of a store, and goes again', async () => {
  const text = '# Tides\n\nThe spring tide comes at new moon.'
  const file = await openai.files.create({ file: await toFile(Buffer.from(text), 'tides.md'), purpose: 'assistants' })
  expect(file).toMatchObject({ object: 'file', bytes: text.length, filename: 'tides.md' })
  expect(await openai.files.retrieve(file.id)).toEqual(file)
  const attached = await openai.vectorStores.files.createAndPoll(
    'harbour',
    wide({ file_id: file.id, attributes: { kind: 'note' } }),
    soon,
  )
  expect(attached).toMatchObject({ id: file.id, status: 'completed', last_error: null, attributes: { kind: 'note' } })
  const { data } = await openai.vectorStores.search('harbour', { query: 'spring tide' })
  expect(data[0]).toMatchObject({ file_id: file.id, filename: 'tides.md' })
  const listed = []
  for await (const one of openai.vectorStores.files.list('harbour', { limit: 1 })) listed.push(one.id)
  expect(listed).toEqual([file.id])
  expect(await openai.vectorStores.files.delete(file.id, { vector_store_id: 'harbour' })).toMatchObject({
    deleted: true,
  })
  expect(await refusalOf(openai.vectorStores.files.retrieve(file.id, { vector_store_id: 'harbour' }))).toMatchObject({
    status: 404,
  })

  const broken = await openai.files.create({
    file: await toFile(Buffer.from('{'), 'broken.json'),
    purpose: 'assistants',
  })
  const failed = await openai.vectorStores.files.createAndPoll('harbour', { file_id: broken.id }, soon)
  expect(failed).toMatchObject({ status: 'failed', last_error: { code: 'unsupported_file' } })
  const unused = await openai.files.create({ file: await toFile(Buffer.from('x'), 'x.txt'), purpose: 'assistants' })
  expect(await openai.files.delete(unused.id)).toMatchObject({ deleted: true })
  expect(await refusalOf(openai.files.retrieve(unused.id))).toMatchObject({ status: 404 })
  const purpose = 'batch' as const
  expect(
    await refusalOf(openai.files.create({ file: await toFile(Buffer.from('x'), 'x.txt'), purpose })),
  ).toMatchObject({
    status: 400,
    param: 'purpose',
  })
})

test('a store is made with its files, is listed within the scope of the request, and goes again', async () => {
  const file = await openai.files.create({
    file: await toFile(Buffer.from('The gate closes at ten.'), 'gate.txt'),
    purpose: 'assistants',
  })
  const store = await openai.vectorStores.create({ name: 'quay/gates', file_ids: [file.id] })
  expect(store).toMatchObject({ id: 'quay%2Fgates', name: 'quay/gates', file_counts: { total: 1 } })
  const polled = await openai.vectorStores.files.poll(store.id, file.id, soon)
  expect(polled).toMatchObject({ status: 'completed' })
  const { data } = await openai.vectorStores.search(store.id, { query: 'When does the gate close?' })
  expect(data[0]).toMatchObject({ file_id: file.id, filename: 'gate.txt' })

  const within = clientOf(token, { 'X-Svc-Scope': 'quay' })
  expect((await within.vectorStores.list()).data.map(({ name }) => name)).toEqual(['quay/gates'])
  expect(await refusalOf(within.vectorStores.create({ name: 'elsewhere' }))).toMatchObject({ status: 403 })
  for (const [sent, param] of [
    [{ name: 'quay/gates' }, 'name'],
    [{ name: 'My store' }, 'name'],
    [{}, 'name'],
    [{ name: 'quay/new', expires_after: { anchor: 'last_active_at', days: 1 } }, 'expires_after'],
  ] as const)
    expect(await refusalOf(openai.vectorStores.create(wide(sent))), param).toMatchObject({ status: 400, param })

  expect(await openai.vectorStores.delete(store.id)).toMatchObject({ id: store.id, deleted: true })
  expect(await refusalOf(openai.vectorStores.retrieve(store.id))).toMatchObject({ status: 404 })
})

test('rights, tiers and audit rows are those of REST', async () => {
  const stranger = clientOf(
    await app.principal({ id: 'guest', namespace: 'coast', grants: [{ scope: 'other', perms: ['read'] }] }),
  )
  expect(await refusalOf(stranger.vectorStores.search('harbour', { query: 'lamp' }))).toMatchObject({
    status: 403,
    code: 'forbidden',
  })
  expect(await refusalOf(clientOf('svc_sk_bad_1').models.list())).toMatchObject({
    status: 401,
    type: 'authentication_error',
  })
  const reader = clientOf(
    await app.principal({ id: 'reader', namespace: 'coast', grants: [{ scope: '*', perms: ['read'] }] }),
  )
  expect(
    (await reader.vectorStores.search('harbour', { query: 'lamp or ferries' })).data.map(({ file_id }) => file_id),
  ).toEqual(['log'])
  expect(
    await refusalOf(reader.files.create({ file: await toFile(Buffer.from('x'), 'x.txt'), purpose: 'assistants' })),
  ).toMatchObject({ status: 403 })
  const free = clientOf(await app.principal({ id: 'free', namespace: 'small', tier: 'free' }))
  const messages = [{ role: 'user' as const, content: question }]
  for (const stream of [true, false])
    expect(await refusalOf(free.chat.completions.create({ model: 'svc-answer', messages, stream }))).toMatchObject({
      status: 402,
      code: 'upgrade_required',
    })
  const within = clientOf(token, { 'X-Svc-Scope': 'other' })
  expect(await refusalOf(within.vectorStores.search('harbour', { query: 'lamp' }))).toMatchObject({ status: 403 })
  const { body } = await app.call('GET', '/v1/audit?limit=100', { token })
  const rows = body.rows.filter(({ detail }: { detail: { via?: string } }) => detail.via === 'openai')
  const actions = new Set(rows.map(({ action }: { action: string }) => action))
  for (const action of [
    'search.run',
    'answer.run',
    'document.ingest',
    'source.create',
    'source.delete',
    'request.refused',
  ])
    expect(actions, action).toContain(action)
})

test('only a bearer token counts, and unknown routes are not found', async () => {
  expect(await app.call('GET', '/openai/v1/models')).toMatchObject({
    status: 401,
    body: { error: { code: 'unauthorized' } },
  })
  expect(await app.call('GET', '/openai/v1/nothing', { token })).toMatchObject({ status: 404 })
  expect(await app.call('POST', '/openai/v1/chat/completions', { token, body: '{' })).toMatchObject({
    status: 400,
    body: { error: { type: 'invalid_request_error', param: null } },
  })
})
