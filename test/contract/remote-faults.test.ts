import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Models } from '../../src/ports/models/models.ts'
import {
  embeddingDims,
  type Fault,
  type Json,
  type ModelServer,
  startModelServer,
} from '../support/models/model-server.ts'
import { apiKey, openAiSettings, pineconeSettings, remoteModels } from '../support/models/remote-models.ts'
import { passages } from './answer-writer.contract.ts'

let server: ModelServer

beforeAll(async () => {
  server = await startModelServer()
})

afterAll(() => server[Symbol.asyncDispose]())

beforeEach(() => {
  server.asked = []
  server.faults = []
  server.always = null
  server.maxOpen = 0
  server.refuse = () => null
})

const bounded = (settings: Record<string, string>, timeoutMs = 15_000) =>
  remoteModels({ ...settings, INFERENCE_TIMEOUT_MS: String(timeoutMs) })

const secret = 'a text that no one else may read'
const embed = ({ inference }: Models) => inference.embed('text', [secret, 'other words'], 'passage')
const rerank = ({ reranker }: Models) => reranker.score(secret, passages)
const write = ({ writer }: Models) => writer.write(secret, passages)
const judge = ({ entailment }: Models) => entailment.score([{ premise: secret, hypothesis: 'so it is' }])

const tasks: [string, (url: string) => Record<string, string>, (models: Models) => Promise<unknown>][] = [
  ['openai: embed', openAiSettings, embed],
  ['openai: rerank', openAiSettings, rerank],
  ['openai: write', openAiSettings, write],
  ['tei: judge', openAiSettings, judge],
  ['pinecone: embed', pineconeSettings, embed],
  ['pinecone: rerank', pineconeSettings, rerank],
]

describe.each(tasks)('%s', (_name, settings, run) => {
  const attempt = () => run(bounded(settings(server.url)))
  const failure = async (models = bounded(settings(server.url))) => {
    const error = await run(models).then(
      () => null,
      (thrown: Json) => thrown,
    )
    expect(`${error?.message} ${error?.stack} ${JSON.stringify(error)}`).not.toMatch(
      new RegExp(`${secret}|${apiKey}|${new URL(server.url).port}`),
    )
    expect(error).not.toHaveProperty('cause')
    return { code: error?.code, status: error?.httpStatus, message: error?.message }
  }

  it.each<[string, Fault]>([
    ['429', { kind: 'status', status: 429, retryAfter: '0' }],
    ['500', { kind: 'status', status: 500 }],
    ['503', { kind: 'status', status: 503 }],
    ['a reset connection', { kind: 'reset' }],
    ['a body that was cut', { kind: 'truncated' }],
  ])('is tried again after %s', async (_fault, fault) => {
    server.faults = [fault]
    expect(await attempt()).toBeTruthy()
    expect(server.asked).toHaveLength(2)
    expect(server.asked[1]?.body).toBeTruthy()
  })

  it('is tried three times at most', async () => {
    server.always = { kind: 'status', status: 503, retryAfter: '0' }
    expect(await failure()).toMatchObject({ code: 'broken', status: 503 })
    expect(server.asked).toHaveLength(3)
  })

  it('waits as long as the provider asks, within its time', async () => {
    server.faults = [{ kind: 'status', status: 429, retryAfter: '0.15' }]
    const started = performance.now()
    expect(await attempt()).toBeTruthy()
    expect(performance.now() - started).toBeGreaterThan(145)
    server.always = { kind: 'status', status: 429, retryAfter: '60' }
    server.asked = []
    const again = performance.now()
    expect(await failure()).toMatchObject({ code: 'busy', status: 429 })
    // Not the minute that the provider asks for.
    expect(performance.now() - again).toBeLessThan(20_000)
    expect(server.asked).toHaveLength(1)
  })

  it('is given up in time when the provider hangs, and the request with it', async () => {
    server.always = { kind: 'delay', ms: 30_000 }
    const started = performance.now()
    expect(await failure(bounded(settings(server.url), 300))).toMatchObject({ code: 'timeout' })
    expect(performance.now() - started).toBeLessThan(20_000)
    await expect.poll(() => server.open).toBe(0)
  })

  it.each([
    [401, 'refused'],
    [403, 'refused'],
    [409, 'conflict'],
  ])('is not tried again after %i', async (status, code) => {
    server.always = { kind: 'status', status }
    expect(await failure()).toMatchObject({ code, status })
    expect(server.asked).toHaveLength(1)
  })

  it.each([
    ['no JSON', '<html>busy</html>'],
    ['JSON that is cut', '{"data": [{"embedding": [0.1, '],
    ['nothing', ''],
    ['NaN', '{"data": [{"embedding": [NaN], "values": [NaN]}], "results": [{"index": 0, "relevance_score": NaN}]}'],
    ['null', 'null'],
    ['another shape', '{"hello": ["world"]}'],
    ['an error with 200', '{"error": {"message": "no such model"}}'],
    ['empty lists', '{"data": [], "results": [], "choices": [], "model": "m", "vector_type": "dense", "usage": {}}'],
  ])('takes %s for a failure', async (_what, body) => {
    server.always = { kind: 'body', body }
    expect(await failure()).toMatchObject({ code: 'malformed' })
    expect(server.asked.length).toBeLessThanOrEqual(1)
  })

  it('follows no redirect', async () => {
    server.always = { kind: 'status', status: 307 }
    expect(await failure()).toMatchObject({ code: expect.stringMatching(/unreachable|refused/) })
  })

  it('is not asked for a while once it failed again and again', async () => {
    const models = bounded(settings(server.url))
    await models.inference.ping()
    server.always = { kind: 'body', body: '!' }
    for (let i = 0; i < 5; i += 1) expect(await failure(models)).toMatchObject({ code: 'malformed' })
    server.asked = []
    expect(await failure(models)).toMatchObject({ code: 'paused' })
    expect(server.asked).toEqual([])
    await expect(models.inference.ping()).rejects.toThrow('failing')
  })

  it('says that a server is not there', async () => {
    const gone = await startModelServer()
    const models = bounded(settings(gone.url))
    await gone[Symbol.asyncDispose]()
    expect(await failure(models)).toMatchObject({ code: 'unreachable' })
  })

  it('sends the key to the provider', async () => {
    await attempt()
    const { authorization, 'api-key': pineconeKey } = server.asked[0]?.headers ?? {}
    expect(authorization ?? pineconeKey).toBe(settings === pineconeSettings ? apiKey : `Bearer ${apiKey}`)
  })
})

describe.each([
  ['openai', openAiSettings, 'embedding'],
  ['pinecone', pineconeSettings, 'values'],
])('embeddings of %s', (_name, settings, field) => {
  const changed = (change: (vector: number[]) => unknown): Fault => ({
    kind: 'changed',
    change: (answer) => ({
      ...answer,
      data: answer.data.map((entry: Json, i: number) =>
        i === 0 ? { ...entry, [field]: change(entry[field]) } : entry,
      ),
    }),
  })

  it.each<[string, Fault]>([
    ['too few dimensions', changed((vector) => vector.slice(1))],
    ['too many dimensions', changed((vector) => [...vector, 0.1])],
    ['a zero vector', changed((vector) => vector.map(() => 0))],
    ['what is not a number', changed(([_, ...rest]) => [null, ...rest])],
    ['text for numbers', changed((vector) => vector.map(String))],
    ['base64', changed(() => 'AACAPwAAAEA=')],
    ['too few vectors', { kind: 'changed', change: (answer) => ({ ...answer, data: answer.data.slice(1) }) }],
    ['too many vectors', { kind: 'changed', change: (a) => ({ ...a, data: [...a.data, a.data[0]] }) }],
  ])('are a failure with %s', async (_what, fault) => {
    server.always = fault
    await expect(embed(bounded(settings(server.url)))).rejects.toMatchObject({ code: 'malformed' })
  })

  it('are requested in batches, a fixed number at once, and come back in order', async () => {
    const { inference } = remoteModels({ ...settings(server.url), INFERENCE_CONCURRENCY: '2' })
    const texts = Array.from({ length: 300 }, (_, i) => `text number ${i}`)
    server.always = { kind: 'delay', ms: 5 }
    const vectors = await inference.embed('text', texts, 'passage')
    const [last] = await inference.embed('text', ['text number 299'], 'passage')
    expect(vectors).toHaveLength(300)
    expect(vectors[299]).toEqual(last)
    expect(vectors[299]).not.toEqual(vectors[0])
    expect(server.maxOpen).toBe(2)
    const sizes = server.asked.map(({ body }) => (body.input ?? body.inputs).length)
    expect(Math.max(...sizes)).toBe(settings === pineconeSettings ? 96 : 32)
  })

  it('are of the text’s beginning where the model takes no more, and of the others as they are', async () => {
    const { inference } = remoteModels(settings(server.url))
    const lengthOf = (input: Json) => (typeof input === 'string' ? input : input.text).length
    server.refuse = (_path, body) => ((body.input ?? body.inputs).some((i: Json) => lengthOf(i) > 3000) ? 400 : null)
    const long = 'a long story of the sea '.repeat(5000)
    const [short, cut, empty] = await inference.embed('text', ['the sea', long, ''], 'passage')
    expect(short).toHaveLength(embeddingDims)
    expect(cut).toHaveLength(embeddingDims)
    expect(empty).toBeNull()
    server.refuse = () => 400
    server.asked = []
    await expect(inference.embed('text', ['the sea', 'the land'], 'passage')).rejects.toMatchObject({ code: 'refused' })
    expect(server.asked.length).toBeLessThan(10)
  })
})

describe('ranking', () => {
  const results = (change: (list: Json[]) => Json[]): Fault => ({
    kind: 'changed',
    change: (answer) => ({ ...answer, results: change(answer.results) }),
  })

  it.each<[string, Fault]>([
    ['an index twice', results(([first]) => [first, first])],
    ['an index beyond the texts', results(([first, ...rest]) => [{ ...first, index: 7 }, ...rest])],
    ['a score less', results((list) => list.slice(1))],
    ['a score that is not a number', results((list) => list.map((entry) => ({ ...entry, relevance_score: '0.5' })))],
  ])('is a failure with %s', async (_what, fault) => {
    server.always = fault
    await expect(rerank(bounded(openAiSettings(server.url)))).rejects.toMatchObject({ code: 'malformed' })
  })

  it('by logits is scaled, in the same order', async () => {
    server.always = results((list) => list.map(({ index }) => ({ index, relevance_score: index === 0 ? -8 : 9 })))
    const scores = (await rerank(bounded(openAiSettings(server.url)))) as number[]
    expect(scores[0]).toBeCloseTo(1 / (1 + Math.exp(8)))
    expect(scores[1]).toBeCloseTo(1 / (1 + Math.exp(-9)))
  })

  it('asks a server once how it spells the request', async () => {
    server.refuse = (path, body) => (path !== '/rerank' ? 404 : 'documents' in body ? 422 : null)
    const { reranker } = bounded(openAiSettings(server.url))
    await reranker.score('q', passages)
    const before = server.asked.length
    await reranker.score('q', passages)
    expect(server.asked.length).toBe(before + 1)
  })
})

it('a judge without a class of entailment is a failure', async () => {
  server.always = {
    kind: 'changed',
    change: (answer) => answer.map((list: Json[]) => list.map((entry, i) => ({ ...entry, label: `LABEL_${i}` }))),
  }
  await expect(judge(bounded(openAiSettings(server.url)))).rejects.toMatchObject({ code: 'malformed' })
})
