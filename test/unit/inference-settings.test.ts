import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { describeInference } from '../../src/settings/inference-config.ts'
import { tempDir } from '../support/temp-dir.ts'
import { configProblem } from '../support/texts/config-problem.ts'

const inference = (env: Record<string, string>) => readConfig(env).inference

const builtin = { kind: 'builtin' }
const minilm = { kind: 'onnx', model: 'minilm-l6-v2', directory: null, setting: 'EMBED_MODEL', dims: null }
const openai = { INFERENCE: 'openai', INFERENCE_BASE_URL: 'http://ollama.test/v1/', INFERENCE_API_KEY: 'hush-hush' }
const endpoint = { baseUrl: 'http://ollama.test/v1', apiKey: 'hush-hush' }

describe('settings of inference', () => {
  it('need nothing but the model that comes with the service by default', () => {
    const config = inference({})
    expect(config).toMatchObject({ rerank: builtin, answers: builtin, entailment: builtin, timeoutMs: 10_000 })
    expect(Object.values(config.planes)).toEqual([minilm, minilm, minilm, minilm])
    expect(describeInference(config)).toBe('minilm-l6-v2')
    expect(inference({ EMBED_MODEL: 'minilm-l6-v2' }).planes).toEqual(config.planes)
    const words = inference({ INFERENCE: 'builtin' })
    expect(Object.values(words.planes)).toEqual([builtin, builtin, builtin, builtin])
    expect(describeInference(words)).toBe('built in')
  })

  it('give what is named to the provider, and leave the rest built in', () => {
    const config = inference({ ...openai, EMBED_MODEL: 'bge-m3', EMBED_DIMS: '1024' })
    const bge = { kind: 'openai', endpoint, model: 'bge-m3', dims: 1024 }
    expect(config.planes).toEqual({ text: bge, visual: bge, audio: bge, doc_visual: bge })
    expect(config).toMatchObject({ rerank: builtin, answers: builtin, entailment: builtin })
    const chat = inference({ ...openai, CHAT_MODEL: 'llama3.2', NLI_MODEL: 'nli', RERANK_MODEL: 'bge-reranker' })
    expect(chat).toMatchObject({
      answers: { kind: 'openai', endpoint, model: 'llama3.2' },
      entailment: { kind: 'tei', endpoint, model: 'nli' },
      rerank: { kind: 'openai', endpoint, model: 'bge-reranker' },
    })
    expect(describeInference(chat)).toBe('minilm-l6-v2, openai:bge-reranker, openai:llama3.2, tei:nli')
  })

  it('weigh the vectors of models', () => {
    expect(inference({}).vectorWeights.size).toBe(0)
    const { vectorWeights } = inference({ VECTOR_WEIGHTS: 'openai:bge-m3@1024=2, own=0.5' })
    expect([...vectorWeights]).toEqual([
      ['openai:bge-m3@1024', 2],
      ['own', 0.5],
    ])
    for (const wrong of ['own', 'own=', '=1', 'own=-1', 'own=101', 'own=1,']) {
      expect(configProblem({ VECTOR_WEIGHTS: wrong })).toContain('VECTOR_WEIGHTS: must be MODEL=WEIGHT pairs')
    }
  })

  it('name models that read pictures and recordings, each on its own server', () => {
    expect(inference({}).media).toEqual({ ocr: null, caption: null, transcribe: null })
    const own = { TRANSCRIBE_MODEL: 'whisper', TRANSCRIBE_BASE_URL: 'http://ear.test/v1', TRANSCRIBE_API_KEY: 'hush' }
    expect(inference({ ...openai, OCR_MODEL: 'reader', ...own }).media).toEqual({
      ocr: { kind: 'openai', endpoint, model: 'reader' },
      caption: null,
      transcribe: { kind: 'openai', endpoint: { baseUrl: 'http://ear.test/v1', apiKey: 'hush' }, model: 'whisper' },
    })
    expect(configProblem({ CAPTION_MODEL: 'describer' })).toContain('INFERENCE_BASE_URL: is needed with CAPTION_MODEL')
    expect(configProblem({ OCR_BASE_URL: 'http://a.test/v1' })).toContain('OCR_MODEL: is needed with OCR_BASE_URL')
  })

  it('take the local model for text in pictures where it is installed and nothing else is named', () => {
    const models = tempDir('models')
    const local = { MODELS_DIR: models.path }
    expect(describeInference(inference(local))).toBe('minilm-l6-v2')
    mkdirSync(join(models.path, 'ocr'))
    writeFileSync(join(models.path, 'ocr/model.json'), '{}')
    const installed = inference(local)
    expect(installed.localOcr).toEqual({ kind: 'onnx', model: 'ocr', directory: join(models.path, 'ocr') })
    expect(describeInference(installed)).toBe('minilm-l6-v2, onnx:ocr')
    expect(inference({ ...local, ...openai, OCR_MODEL: 'reader' }).localOcr).toBeNull()
    expect(inference({ ...local, OCR_MODEL: 'off' })).toMatchObject({ localOcr: null, media: { ocr: null } })
    models.remove()
  })

  it('say how a server takes pictures, for the planes that have some', () => {
    const { planes } = inference({ ...openai, EMBED_MODEL: 'clip', EMBED_DIMS: '512', EMBED_IMAGES: 'vllm' })
    const clip = { kind: 'openai', endpoint, model: 'clip', dims: 512 }
    const seeing = { ...clip, pictures: 'vllm' }
    expect(planes).toEqual({ text: clip, visual: seeing, audio: clip, doc_visual: seeing })
    expect(configProblem({ EMBED_IMAGES: 'jina' })).toContain(
      'EMBED_IMAGES: needs a model of an OpenAI-compatible server',
    )
    expect(configProblem({ EMBED_IMAGES: 'cohere' })).toContain('EMBED_IMAGES')
  })

  it('are each plane’s own where they are given', () => {
    const { planes, rerank } = inference({
      ...openai,
      EMBED_MODEL: 'bge-m3',
      EMBED_DIMS: '1024',
      EMBED_MODEL_VISUAL: 'clip',
      EMBED_DIMS_VISUAL: '512',
      EMBED_PROVIDER_AUDIO: 'builtin',
      EMBED_PROVIDER_DOC_VISUAL: 'pinecone',
      EMBED_MODEL_DOC_VISUAL: 'llama-text-embed-v2',
      EMBED_DIMS_DOC_VISUAL: '2048',
      RERANK_PROVIDER: 'pinecone',
      RERANK_MODEL: 'bge-reranker-v2-m3',
      PINECONE_API_KEY: 'pc-key',
    })
    const pinecone = { host: null, apiKey: 'pc-key' }
    expect(planes).toEqual({
      text: { kind: 'openai', endpoint, model: 'bge-m3', dims: 1024 },
      visual: { kind: 'openai', endpoint, model: 'clip', dims: 512 },
      audio: builtin,
      doc_visual: { kind: 'pinecone', endpoint: pinecone, model: 'llama-text-embed-v2', dims: 2048 },
    })
    expect(rerank).toEqual({ kind: 'pinecone', endpoint: pinecone, model: 'bge-reranker-v2-m3' })
  })

  it('name the model of before a change, on the same servers', () => {
    const now = { ...openai, EMBED_MODEL: 'bge-m3', EMBED_DIMS: '1024' }
    const former = { FORMER_EMBED_MODEL: 'nomic', FORMER_EMBED_DIMS: '768' }
    const own = { model: 'minilm-l6-v2', directory: null, setting: 'FORMER_EMBED_MODEL' }
    expect(inference(now).former).toMatchObject(own)
    expect(inference({ EMBED_MODEL_TEXT: 'e5' }).former).toMatchObject(own)
    expect([inference({}).former, inference({ INFERENCE: 'builtin' }).former]).toEqual([null, null])
    const config = inference({ ...now, ...former })
    expect(config.former).toEqual({ kind: 'openai', endpoint, model: 'nomic', dims: 768 })
    expect(describeInference(config)).toBe('openai:bge-m3')
    const local = { ...now, FORMER_EMBED_PROVIDER: 'onnx', FORMER_EMBED_MODEL: 'e5', MODELS_DIR: '/models' }
    expect(inference(local).former).toMatchObject({ kind: 'onnx', directory: '/models/e5', dims: null })
    expect(configProblem({ ...now, FORMER_EMBED_MODEL: 'n' })).toContain('FORMER_EMBED_DIMS: is needed with FORMER_')
    expect(configProblem({ ...now, FORMER_EMBED_DIMS: '8' })).toContain('FORMER_EMBED_MODEL: is needed')
    expect(configProblem({ ...former, FORMER_EMBED_PROVIDER: 'openai' })).toContain('INFERENCE_BASE_URL: is needed')
  })

  it('find local models below one directory, for each plane and task', () => {
    const local = { INFERENCE: 'onnx', MODELS_DIR: '/models' }
    const onnx = (model: string, setting: string) => ({
      kind: 'onnx',
      model,
      directory: `/models/${model}`,
      setting,
    })
    const config = inference({ ...local, EMBED_MODEL: 'e5', RERANK_MODEL: 'rerank', NLI_MODEL: 'org/nli-1.0' })
    const e5 = { ...onnx('e5', 'EMBED_MODEL'), dims: null }
    expect(config).toMatchObject({
      planes: { text: e5, visual: e5, audio: e5, doc_visual: e5 },
      rerank: onnx('rerank', 'RERANK_MODEL'),
      entailment: onnx('org/nli-1.0', 'NLI_MODEL'),
      answers: builtin,
    })
    expect(describeInference(config)).toBe('onnx:e5, onnx:rerank, onnx:org/nli-1.0')
    const mixed = inference({
      ...openai,
      MODELS_DIR: '/models',
      CHAT_MODEL: 'llama3.2',
      RERANK_PROVIDER: 'onnx',
      RERANK_MODEL: 'rerank',
      NLI_PROVIDER: 'onnx',
      NLI_MODEL: 'nli',
      EMBED_PROVIDER_AUDIO: 'onnx',
      EMBED_MODEL_AUDIO: 'e5',
      EMBED_DIMS_AUDIO: '384',
    })
    expect(mixed).toMatchObject({
      planes: { text: minilm, audio: { ...onnx('e5', 'EMBED_MODEL_AUDIO'), dims: 384 } },
      rerank: onnx('rerank', 'RERANK_MODEL'),
      entailment: onnx('nli', 'NLI_MODEL'),
      answers: { kind: 'openai', model: 'llama3.2' },
    })
    const served = inference({ ...local, NLI_MODEL: 'nli', NLI_BASE_URL: 'http://tei.test' })
    expect(served.entailment).toMatchObject({ kind: 'tei', model: 'nli' })
  })

  it.each(['../nli', '..', '/etc', 'a/../../b', 'a//b', 'a/', '.hidden', 'a\\..\\b', 'a/./b', 'a\0b', ' ', '~/a'])(
    'let no name of a local model lead out of its directory: %j',
    (model) => {
      const problem = configProblem({ INFERENCE: 'onnx', MODELS_DIR: '/models', NLI_MODEL: model })
      expect(problem).toContain('NLI_MODEL: must be the name of a directory in MODELS_DIR')
    },
  )

  it('send a key to its own address alone', () => {
    const env = { ...openai, RERANK_MODEL: 'r', RERANK_BASE_URL: 'http://tei.test', CHAT_MODEL: 'c' }
    expect(inference({ ...env })).toMatchObject({
      rerank: { endpoint: { baseUrl: 'http://tei.test', apiKey: null } },
      answers: { endpoint },
    })
    expect(inference({ ...env, RERANK_API_KEY: 'own' })).toMatchObject({ rerank: { endpoint: { apiKey: 'own' } } })
  })

  it('are refused when they make no sense together, without their values', () => {
    const { INFERENCE_BASE_URL, ...nowhere } = openai
    expect(configProblem({ ...nowhere, CHAT_MODEL: 'c' })).toContain('INFERENCE_BASE_URL: is needed with CHAT_MODEL')
    expect(configProblem({ ...openai, EMBED_MODEL: 'e' })).toContain('EMBED_DIMS: is needed with EMBED_MODEL')
    expect(configProblem({ ...openai, EMBED_MODEL: 'e', EMBED_DIMS: '8', EMBED_MODEL_AUDIO: 'a' })).toContain(
      'EMBED_DIMS_AUDIO: is needed with EMBED_MODEL_AUDIO',
    )
    expect(configProblem({ INFERENCE: 'builtin', EMBED_MODEL: 'e', EMBED_DIMS: '8' })).toContain(
      'INFERENCE: must be openai, pinecone or onnx',
    )
    const local = { MODELS_DIR: '/models' }
    expect(configProblem({ ...local, CHAT_MODEL: 'c' })).toContain('CHAT_MODEL: no local model writes answers')
    expect(configProblem({ ...local, RERANK_MODEL: 'r', RERANK_BASE_URL: 'http://tei.test' })).toContain(
      'RERANK_BASE_URL: makes no sense with a local model',
    )
    expect(configProblem(openai)).toContain('INFERENCE: names no model')
    expect(configProblem({ INFERENCE: 'pinecone', RERANK_MODEL: 'r' })).toContain('PINECONE_API_KEY: is needed')
    expect(configProblem({ NLI_BASE_URL: 'http://tei.test' })).toContain('NLI_MODEL: is needed with NLI_BASE_URL')
    expect(configProblem({ ...openai, CHAT_MODEL: 'c', CHAT_API_KEY: 'own-key' })).toContain('CHAT_BASE_URL: is needed')
    expect(configProblem({ ...openai, INFERENCE: 'elsewhere' })).toContain('INFERENCE: ')
    const keyed = configProblem({ ...openai, INFERENCE_BASE_URL: 'http://me:hush-hush@ollama.test/v1' })
    expect(keyed).toContain('INFERENCE_BASE_URL: must not hold a key')
    const all = [
      keyed,
      configProblem(openai),
      configProblem({ ...openai, EMBED_MODEL: 'e', EMBED_DIMS: 'many' }),
    ].join()
    expect(all).not.toMatch(/hush-hush|many/)
  })
})
