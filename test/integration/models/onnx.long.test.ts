import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { similarity } from '../../contract/inference.contract.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { type ModelServer, startModelServer } from '../../support/models/model-server.ts'
import { inferenceOf } from '../../support/models/remote-models.ts'
import { localModels, tinySettings } from '../../support/onnx/local-models.ts'
import { tinyEmbedder, tinyJudge, writeTinyModel } from '../../support/onnx/tiny-models.ts'
import { tempDir } from '../../support/temp-dir.ts'

const lamp = 'The lighthouse keeper lights the lamp at dusk.'
const brass = 'A lamp of brass stands in the hall.'
const ferries = 'Ferries leave the harbour twice a day.'

let directory: ReturnType<typeof tempDir>
let settings: Record<string, string>
let server: ModelServer
let app: TestApp
let token: string

const ask = async (path: '/v1/search' | '/v1/answer', body: object = {}) => {
  const q = 'Does the lighthouse keeper light the lamp at dusk?'
  const reply = await app.call('POST', path, { token, body: { q, ...body } })
  expect(reply.status).toBe(200)
  return reply.body
}

describe('local models', () => {
  beforeAll(async () => {
    directory = tempDir('onnx')
    settings = tinySettings(directory.path)
    server = await startModelServer()
    writeTinyModel(directory.path, 'later', tinyEmbedder())
    const { EMBED_MODEL, ...rest } = settings
    const chat = { CHAT_MODEL: 'llama3.2', CHAT_BASE_URL: `${server.url}/v1` }
    app = await boot({ config: { inference: inferenceOf({ ...rest, ...chat, EMBED_MODEL_TEXT: 'later' }) } })
    token = await app.principal({ id: 'keeper', namespace: 'coast' })
    const units = [lamp, ferries, brass].map((text) => ({ text }))
    const { status, body } = await app.call('POST', '/v1/ingest', { token, scope: 'harbour', body: { units } })
    expect([status, body.indexed]).toEqual([200, true])
  })
  afterAll(async () => {
    await app?.close()
    await server[Symbol.asyncDispose]()
    directory.remove()
  })

  test('embed a plane, while the others keep the model that comes with the service', async () => {
    const { hits, trace } = await ask('/v1/search')
    expect(hits[0].text).toBe(lamp)
    expect(trace.degraded).toEqual([])
    const leg = trace.legs.find((found: { leg: string }) => found.leg === 'vector:text')
    expect(leg).toMatchObject({ candidates: 3 })
    const { planes } = (await app.call('GET', '/v1/catalog/stats', { token })).body
    expect(planes[0]).toMatchObject({ model: 'later@16/ort', dims: 16, metric: 'cosine', vectors: 3 })
    expect(planes[1]).toMatchObject({ model: 'minilm-l6-v2@384/ort', vectors: 0 })
    expect((await app.call('GET', '/v1/health')).body.bindings.inference).toBe(true)
  })

  test('rerank, and are named', async () => {
    const { hits, trace } = await ask('/v1/search', { rerank: true })
    expect(trace).toMatchObject({ rerank: 'onnx:rerank', degraded: [] })
    expect(hits[0].text).toBe(lamp)
    // The score comes from the reranker: the logistic function of the number of shared words.
    expect(hits[0].score).toBeGreaterThan(0.99)
  })

  test('judge what a server writes: what it makes up goes', async () => {
    const writes = (text: string) => {
      server.chat = () => JSON.stringify({ statements: [{ text, sources: [{ passage: 1, quote: lamp }] }] })
    }
    writes('The lighthouse keeper lights the lamp.')
    const { answer, trace } = await ask('/v1/answer', { agentic: false })
    expect(answer).toMatchObject({ model: 'openai:llama3.2', text: 'The lighthouse keeper lights the lamp. [1]' })
    expect(answer.faithfulness).toMatchObject({ method: 'onnx:org/nli', min: expect.closeTo(1, 2) })
    expect(trace).toMatchObject({ degraded: [], answer: { removed: 0 } })
    writes('The lighthouse keeper lights not the lamp.')
    const denied = await ask('/v1/answer', { agentic: false })
    expect(denied.answer.abstained).toBe(true)
    expect(denied.trace).toMatchObject({ degraded: [], answer: { removed: 1 } })
    expect(server.asked.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/chat/completions'])
  })

  test('stay as they were loaded when their files are damaged later', async () => {
    const later = join(directory.path, 'later')
    writeFileSync(join(later, 'onnx/model.onnx'), 'no model')
    rmSync(join(later, 'tokenizer.json'))
    const { hits, trace } = await ask('/v1/search', { rerank: true })
    expect([hits[0].text, trace.degraded]).toEqual([lamp, []])
  })

  test('embed by the prompts, the pooling and the lengths that their files name', async () => {
    writeTinyModel(directory.path, 'e5', {
      ...tinyEmbedder(),
      files: { 'config_sentence_transformers.json': { prompts: { query: 'query : ', document: 'passage : ' } } },
    })
    const pooled = { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false }
    writeTinyModel(directory.path, 'cls', {
      ...tinyEmbedder(),
      files: { '1_Pooling/config.json': pooled, 'modules.json': [] },
    })
    writeTinyModel(directory.path, 'short', {
      ...tinyEmbedder(),
      files: { 'sentence_bert_config.json': { max_seq_length: 4 } },
    })
    const { models: local, close } = await localModels({
      ...settings,
      EMBED_MODEL_TEXT: 'e5',
      EMBED_MODEL_VISUAL: 'cls',
      EMBED_MODEL_AUDIO: 'short',
    })
    const { embed } = local.inference
    const like = async (plane: 'text' | 'visual' | 'audio' | 'doc_visual', texts: [string, string]) => {
      const [a, b] = await embed(plane, texts, 'passage')
      return similarity(a, b)
    }
    const [query] = await embed('text', ['lamp'], 'query')
    const [plain, passage] = await embed('doc_visual', ['query : lamp', 'passage : lamp'], 'passage')
    expect(similarity(query, plain)).toBeCloseTo(1, 5)
    expect(similarity((await embed('text', ['lamp'], 'passage'))[0], passage)).toBeCloseTo(1, 5)
    expect(await like('visual', ['lamp', 'harbour'])).toBeCloseTo(1, 5)
    expect(await like('doc_visual', ['lamp', 'harbour'])).toBeLessThan(0.9)
    // Two of the four tokens are [CLS] and [SEP].
    expect(await like('audio', ['the lamp of brass', 'the lamp at dusk'])).toBeCloseTo(1, 5)
    expect(await like('doc_visual', ['the lamp of brass', 'the lamp at dusk'])).toBeLessThan(0.99)
    await close()
  })

  test('read both texts of a pair, however long one of them is', async () => {
    const { models: local, close } = await localModels(settings)
    const rest = ' ferries leave twice a day'.repeat(1000)
    const hypothesis = 'the keeper lights the lamp'
    const scores = await local.entailment.score([
      { premise: `${hypothesis}${rest}`, hypothesis },
      { premise: rest, hypothesis },
      { premise: hypothesis, hypothesis: `${hypothesis}${rest}` },
    ])
    expect(scores.map((score) => score >= local.entailment.threshold)).toEqual([true, false, false])
    const [found = 0, lost = 1] = await local.reranker.score(`lamp${rest}`, [
      { text: 'lamp', score: 0 },
      { text: 'anchor', score: 0 },
    ])
    expect(found).toBeGreaterThan(lost)
    await close()
  })

  test('find the class of entailment wherever the model has it', async () => {
    const { graphs, config } = tinyJudge()
    writeTinyModel(directory.path, 'turned', {
      graphs,
      config: { ...config, id2label: { 0: 'ENTAILMENT', 1: 'NEUTRAL', 2: 'CONTRADICTION' } },
    })
    const { models: local, close } = await localModels({ ...settings, NLI_MODEL: 'turned' })
    // The model's first logit is the logit for a negation.
    const pair = (hypothesis: string) => ({ premise: 'the keeper lights the lamp', hypothesis })
    const scores = await local.entailment.score([pair('the keeper lights the lamp'), pair('the keeper lights not')])
    expect(scores.map((score) => score > 0.5)).toEqual([false, true])
    await close()
  })

  test.each<[string, Record<string, string>, (folder: string) => void, string]>([
    ['no directory', { EMBED_MODEL: 'nowhere' }, () => {}, 'EMBED_MODEL: nowhere has no directory in MODELS_DIR'],
    [
      'a file too little',
      { EMBED_MODEL: 'bad' },
      (folder) => rmSync(join(folder, 'tokenizer.json')),
      'EMBED_MODEL: bad lacks the file tokenizer.json',
    ],
    [
      'no model file',
      { EMBED_MODEL_AUDIO: 'bad' },
      (folder) => rmSync(join(folder, 'onnx/model.onnx')),
      'EMBED_MODEL_AUDIO: bad lacks the file onnx/model.onnx',
    ],
    [
      'a cut model file',
      { EMBED_MODEL: 'bad' },
      (folder) => {
        const file = join(folder, 'onnx/model.onnx')
        writeFileSync(file, readFileSync(file).subarray(0, 700))
      },
      'EMBED_MODEL: bad cannot be loaded',
    ],
    [
      'another file for a model',
      { EMBED_MODEL: 'bad' },
      (folder) => writeFileSync(join(folder, 'onnx/model.onnx'), '<html>not found</html>'),
      'EMBED_MODEL: bad cannot be loaded',
    ],
    [
      'a damaged configuration',
      { EMBED_MODEL: 'bad' },
      (folder) => appendFileSync(join(folder, 'config.json'), '}'),
      'EMBED_MODEL: bad has a damaged file config.json',
    ],
    [
      'a damaged tokenizer',
      { EMBED_MODEL: 'bad' },
      (folder) => writeFileSync(join(folder, 'tokenizer.json'), '{}'),
      'EMBED_MODEL: bad cannot be loaded',
    ],
    [
      'layers that the file does not hold',
      { EMBED_MODEL: 'bad' },
      (folder) => {
        const dense = { idx: 2, name: '2', path: '2_Dense', type: 'sentence_transformers.models.Dense' }
        writeFileSync(join(folder, 'modules.json'), JSON.stringify([dense]))
      },
      'EMBED_MODEL: bad has layers behind its pooling',
    ],
    ['other dimensions', { EMBED_DIMS: '17' }, () => {}, 'EMBED_MODEL: embed has 16 dimensions'],
    ['a reranker that embeds', { RERANK_MODEL: 'embed' }, () => {}, 'RERANK_MODEL: embed cannot be run'],
    ['a reranker with classes', { RERANK_MODEL: 'org/nli' }, () => {}, 'RERANK_MODEL: org/nli is not a reranker'],
    ['a judge without classes', { NLI_MODEL: 'rerank' }, () => {}, 'NLI_MODEL: rerank is not an NLI classifier'],
  ])('are refused at the start with %s', async (_what, env, damage, problem) => {
    damage(writeTinyModel(directory.path, 'bad', tinyEmbedder()))
    const failure = await localModels({ ...settings, ...env }).then(
      ({ close }) => close(),
      (error: Error) => error,
    )
    expect(failure?.name).toBe('ModelUnusableError')
    expect(failure?.message.split('\n')).toHaveLength(2)
    expect(failure?.message).toContain(problem)
  })

  test('may be quantised, and have the dimensions that are set', async () => {
    const folder = writeTinyModel(directory.path, 'small', tinyEmbedder())
    renameSync(join(folder, 'onnx/model.onnx'), join(folder, 'onnx/model_quantized.onnx'))
    const { models: local, close } = await localModels({ ...settings, EMBED_MODEL: 'small', EMBED_DIMS: '16' })
    expect(local.inference.model('audio')).toEqual({
      name: 'small@16/ort',
      dims: 16,
      builtin: false,
      fallback: false,
      atOnce: 16,
    })
    expect(await local.inference.embed('audio', ['lamp'], 'query')).toHaveLength(1)
    await close()
  })
})
