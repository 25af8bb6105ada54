import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Models } from '../../../src/ports/models/models.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import {
  type Asked,
  asksForQueries,
  type Fault,
  type ModelServer,
  startModelServer,
} from '../../support/models/model-server.ts'
import {
  builtinModels,
  changeable,
  inferenceOf,
  openAiSettings,
  pineconeSettings,
  remoteModels,
} from '../../support/models/remote-models.ts'
import { waited } from '../../support/waited.ts'

const scope = 'harbour'
const down: Fault = { kind: 'body', body: 'out of order' }
const lamp = 'The lighthouse keeper lights the lamp at dusk.'

let server: ModelServer
let shared: TestApp
let app: TestApp
let token: string
let models: Models
let tenants = 0

const settingsOf = (settings: Record<string, string>) => ({ INFERENCE_TIMEOUT_MS: '20000', ...settings })

beforeAll(async () => {
  server = await startModelServer()
  models = remoteModels(settingsOf(openAiSettings(server.url)))
  const { writer, entailment } = builtinModels()
  const inference = inferenceOf(settingsOf(openAiSettings(server.url)))
  shared = await boot({
    config: { inference },
    bindings: { ...changeable(() => models), fallbacks: { writer, entailment } },
  })
})
afterAll(async () => {
  await shared.close()
  await server[Symbol.asyncDispose]()
})

const fill = async (to: TestApp) => {
  app = to
  tenants += 1
  token = await app.principal({ id: `keeper-${tenants}`, namespace: `coast-${tenants}` })
  await ingest([lamp, 'Ferries leave the harbour twice a day.', 'A lamp of brass stands in the hall.'])
  server.asked = []
}
/** An app that creates its own models. */
const start = async (settings: Record<string, string>) =>
  fill(await boot({ config: { inference: inferenceOf(settingsOf(settings)) } }))

beforeEach(() => {
  Object.assign(server, { faults: [], always: null, faultyPath: '', nli: () => 0.9, refuse: () => null })
  server.chat = () => JSON.stringify({ statements: [{ text: lamp, sources: [{ passage: 1, quote: lamp }] }] })
})
afterEach(async () => {
  if (app !== shared) await app.close()
})

const ingest = async (texts: string[], fields: object = {}) => {
  const units = texts.map((text) => ({ text, ...fields }))
  const reply = await app.call('POST', '/v1/ingest', { token, scope, body: { units } })
  expect(reply.status).toBe(200)
  return reply.body
}
const ask = async (path: '/v1/search' | '/v1/answer', body: object = {}) => {
  const reply = await app.call('POST', path, {
    token,
    body: { q: 'Does the lighthouse keeper light the lamp at dusk?', ...body },
  })
  expect(reply.status).toBe(200)
  return reply.body
}
const textsOf = ({ hits }: { hits: { text: string }[] }) => hits.map(({ text }) => text)
const askedOf = (path: string): Asked[] => server.asked.filter((asked) => asked.path.endsWith(path))

describe('models of an OpenAI-compatible server', () => {
  // New models each time, because guards remember failures.
  beforeEach(() => {
    models = remoteModels(settingsOf(openAiSettings(server.url)))
    return fill(shared)
  })

  test('are not asked for texts that are sent again unchanged', async () => {
    const texts = ['Fog over the quay.', 'The tide turns at noon.']
    const send = async (changed: object[] = [], by = 'external_id') => {
      const units = texts.map((text, i) => ({ text, [by]: `note-${i}`, ...changed[i] }))
      const { body } = await app.call('POST', '/v1/ingest', { token, scope, body: { units } })
      const embedded = askedOf('/v1/embeddings').flatMap(({ body }) => body.input)
      server.asked = []
      return [body.units.map(({ status }: { status: string }) => status), body.indexed, embedded]
    }
    expect(await send()).toEqual([['created', 'created'], true, texts])
    expect(await send()).toEqual([['unchanged', 'unchanged'], true, []])
    expect(await send([], 'unit_id')).toEqual([['unchanged', 'unchanged'], true, []])
    const changed = 'The tide turns at one.'
    expect(await send([{}, { text: changed }])).toEqual([['unchanged', 'updated'], true, [changed]])
    // A Unit of another writer with the same id is none of this caller's.
    token = await app.principal({ id: `mate-${tenants}`, namespace: `coast-${tenants}` })
    expect(await send()).toEqual([['created', 'created'], true, texts])
  })

  test('embed, rerank, write and judge, and are named', async () => {
    const { hits, answer, trace } = await ask('/v1/answer', { rerank: true })
    expect(trace.legs.map(({ leg }: { leg: string }) => leg)).toContain('vector:text')
    expect(trace).toMatchObject({ rerank: 'openai:bge-reranker-v2-m3', degraded: [] })
    expect(hits[0].text).toBe(lamp)
    expect(answer).toMatchObject({
      text: `${lamp} [1]`,
      model: 'openai:llama3.2',
      faithfulness: { method: 'tei:nli-deberta-v3', min: 0.9 },
      citations: [{ quote: lamp, unit_id: hits[0].unit_id }],
    })
    // All four planes share the model.
    expect(askedOf('/embeddings')).toHaveLength(1)
    const { body } = await app.call('GET', '/v1/catalog/stats', { token })
    expect(body.planes[0]).toMatchObject({
      plane: 'text',
      model: 'openai:bge-m3@64',
      dims: 64,
      metric: 'cosine',
      vectors: 3,
    })
  })

  test('abstain when the model finds no answer, or the judge lets none stand', async () => {
    server.chat = () => '{"statements": []}'
    const none = await ask('/v1/answer')
    expect(none.answer).toMatchObject({ abstained: true, model: 'openai:llama3.2', nli_faithfulness: null })
    expect(none.trace.degraded).toEqual([])
    server.chat = () => JSON.stringify({ statements: [{ text: lamp, sources: [{ passage: 1, quote: lamp }] }] })
    server.nli = () => 0.1
    const unsupported = await ask('/v1/answer')
    expect(unsupported.answer.abstained).toBe(true)
    expect(unsupported.trace.answer.removed).toBe(1)
  })

  test('see nothing that is hidden from who asks', async () => {
    const secret = 'The keeper hides the lamp key under the stone.'
    await ingest([secret], { acl_groups: [] })
    await ingest(['The keeper of the lamp is called Ada.'], { acl_groups: ['*'] })
    token = await app.principal({ id: `visitor-${tenants}`, namespace: `coast-${tenants}` })
    server.asked = []
    const { hidden_by_acl, hits } = await ask('/v1/answer', { rerank: true })
    expect(hits).toHaveLength(1)
    expect(hidden_by_acl).toBeGreaterThan(0)
    // One for each search of the answer.
    expect(askedOf('/rerank')).not.toHaveLength(0)
    // What to search next, and the answer.
    expect(askedOf('/completions').map(asksForQueries)).toEqual([true, false])
    expect(JSON.stringify(server.asked)).not.toMatch(/stone|lights the lamp/)
  })

  test('that fail at ingest lose nothing: Units are found by their words, and embedded later', async () => {
    Object.assign(server, { always: down, faultyPath: '/embeddings' })
    expect((await ingest(['An anchor of iron.'])).indexed).toBe(false)
    expect(textsOf(await ask('/v1/search', { q: 'iron anchor' }))[0]).toBe('An anchor of iron.')
    server.always = null
    const pending = async () => (await app.call('GET', '/v1/compaction', { token })).body.planes[0].pending
    await expect.poll(pending).toBe(0)
  })

  test('that fail to embed the query leave the words, and are named', async () => {
    Object.assign(server, { always: down, faultyPath: '/embeddings' })
    const found = await ask('/v1/search')
    expect(textsOf(found)[0]).toBe(lamp)
    expect(found.trace.degraded).toEqual(['vector:text'])
  })

  test('that fail to rerank leave the order of the retrieval', async () => {
    const order = textsOf(await ask('/v1/search'))
    Object.assign(server, { always: down, faultyPath: '/rerank' })
    const found = await ask('/v1/search', { rerank: true })
    expect(textsOf(found)).toEqual(order)
    expect(found.trace).toMatchObject({ rerank: 'failed', degraded: ['rerank'] })
  })

  test('that fail to write are stood in for by extracts', async () => {
    Object.assign(server, { always: down, faultyPath: '/completions' })
    const { answer, trace } = await ask('/v1/answer')
    expect(answer).toMatchObject({
      abstained: false,
      model: 'extractive',
      faithfulness: { method: 'tei:nli-deberta-v3' },
    })
    expect(answer.citations[0].quote).toBe(lamp)
    expect(trace.degraded).toEqual(['steps', 'answer'])
  })

  test('that fail to judge are stood in for by the lexical judge', async () => {
    Object.assign(server, { always: down, faultyPath: '/predict' })
    const { answer, trace } = await ask('/v1/answer')
    expect(answer).toMatchObject({ text: `${lamp} [1]`, model: 'openai:llama3.2', faithfulness: { method: 'lexical' } })
    expect(trace.degraded).toEqual(['entailment'])
  })

  test('that hang cost no more than the time that is set, and two seconds', async () => {
    const timeoutMs = 1000
    await start({ ...openAiSettings(server.url), INFERENCE_TIMEOUT_MS: String(timeoutMs) })
    server.always = { kind: 'delay', ms: 60_000 }
    const { result, ms } = await waited(() => ask('/v1/answer', { rerank: true }))
    expect(ms).toBeLessThan(timeoutMs + 2000)
    const { answer, trace } = result
    expect(trace.degraded).toEqual(expect.arrayContaining(['vector:text', 'rerank', 'answer', 'entailment']))
    expect(answer).toMatchObject({ model: 'extractive', faithfulness: { method: 'lexical' }, abstained: false })
  })

  test('that keep failing show in the health, and cost nothing any more', async () => {
    const healthy = async () => (await app.call('GET', '/v1/health')).body.bindings.inference
    expect(await healthy()).toBe(true)
    Object.assign(server, { always: down, faultyPath: '/rerank' })
    for (let i = 0; i < 5; i += 1) await ask('/v1/search', { rerank: true })
    expect(await healthy()).toBe(false)
    server.asked = []
    expect((await ask('/v1/search', { rerank: true })).trace.degraded).toEqual(['rerank'])
    expect(askedOf('/rerank')).toEqual([])
  })
})

test('Pinecone embeds passages and queries each in its way, and reranks', async () => {
  await start(pineconeSettings(server.url))
  await ingest(['A buoy marks the channel.'])
  const found = await ask('/v1/search', { rerank: true })
  expect(found.trace).toMatchObject({ rerank: 'pinecone:bge-reranker-v2-m3', degraded: [] })
  expect(textsOf(found)[0]).toBe(lamp)
  expect(askedOf('/embed').map(({ body }) => body.parameters.input_type)).toEqual(['passage', 'query'])
})

test('a Unit that is sent again gets the vector of the model that is configured by then', async () => {
  const settings = openAiSettings(server.url)
  models = remoteModels(settingsOf(settings))
  await fill(shared)
  const unit = { text: 'A rope of hemp.', external_id: 'rope' }
  const send = async () => {
    const { body } = await app.call('POST', '/v1/ingest', { token, scope, body: { units: [unit] } })
    return body.units[0].status
  }
  expect([await send(), await send()]).toEqual(['created', 'unchanged'])
  // In the background, the others are not embedded by it meanwhile.
  server.refuse = (_, { model, input }) => (model === 'other' && input?.includes(lamp) ? 401 : null)
  models = remoteModels(settingsOf({ ...settings, EMBED_MODEL: 'other' }))
  expect([await send(), await send()]).toEqual(['updated', 'unchanged'])
  const { trace } = await ask('/v1/search', { q: 'hemp rope' })
  // The others have vectors of the previous model until they are embedded again.
  const ofOther = trace.legs.find(
    ({ leg }: { leg: string }) => leg === `vector:text:openai:other@${settings.EMBED_DIMS}`,
  )
  expect(ofOther).toMatchObject({ candidates: 1 })
})

test('a plane has a model of its own, and the others keep the one that comes with the service', async () => {
  const { EMBED_MODEL, EMBED_DIMS, ...rest } = openAiSettings(server.url)
  await start({ ...rest, EMBED_MODEL_VISUAL: 'clip', EMBED_DIMS_VISUAL: String(EMBED_DIMS) })
  await ingest(['a red boat'], { modality: 'image' })
  // The other app may embed what earlier tests left.
  const others = [EMBED_MODEL, 'other']
  const own = askedOf('/embeddings').filter(({ body }) => !others.includes(body.model))
  expect(own.length).toBeGreaterThan(0)
  // A slow machine may pass the timeout: then the same request is sent again.
  for (const { body } of own) expect(body).toMatchObject({ model: 'clip', input: ['a red boat'] })
  const { body } = await app.call('GET', '/v1/catalog/stats', { token })
  const minilm = 'minilm-l6-v2@384/ort'
  const models = Object.fromEntries(
    body.planes.map(({ plane, model }: { plane: string; model: string }) => [plane, model]),
  )
  expect(models).toMatchObject({ visual: 'openai:clip@64', text: minilm, audio: minilm })
  const { trace } = await ask('/v1/search', { q: 'boat' })
  expect(trace.legs.map(({ leg }: { leg: string }) => leg)).toContain('vector:visual')
})
