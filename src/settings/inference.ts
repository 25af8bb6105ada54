import { join } from 'node:path'
import { z } from 'zod'
import type { OnnxEmbedding, OnnxModel } from '../adapters/inference-onnx/onnx-models.ts'
import { ownName } from '../adapters/inference-onnx/own-model.ts'
import type { PictureShape, RemoteModel } from '../adapters/inference-remote/models/remote-config.ts'
import type { Plane } from '../model/unit.ts'
import type { EmbeddingConfig, InferenceConfig } from './inference-config.ts'
import { integer } from './kinds.ts'
import { localOcr, mediaConfig, mediaSettings } from './media.ts'
import { baseUrl, endpointOf, key, model, needless, report } from './model-endpoint.ts'

/** `openai:bge-m3@1024=2, own=0.5`: names of models hold `=` nowhere, and no comma. */
const vectorWeights = z.string().transform((list, context): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>()
  for (const entry of list.split(',').map((part) => part.trim())) {
    const [, model = '', weight = ''] = /^([^=]+)=(\d{1,3}(?:\.\d{1,6})?)$/u.exec(entry) ?? []
    if (model === '' || Number(weight) > 100) {
      context.addIssue(
        'must be MODEL=WEIGHT pairs with commas between them, such as openai:bge-m3@1024=2; weights are from 0 to 100',
      )
      return z.NEVER
    }
    weights.set(model, Number(weight))
  }
  return weights
})

/** Where local models are. */
const onnxSettings = {
  MODELS_DIR: z
    .string()
    .optional()
    .describe(
      'Directory of local models for the provider onnx. The name of a model is its path below this directory. Default: models in DATA_DIR',
    ),
}

/** `e5-small`, `Xenova/bge-m3`: no name may lead out of the directory. */
export const modelNames = /^[\p{L}\p{N}_][\p{L}\p{N}._-]*(?:\/[\p{L}\p{N}_][\p{L}\p{N}._-]*)*$/u

type ModelsPlace = Pick<InferenceEnv, 'MODELS_DIR' | 'DATA_DIR'>

export const modelsDirOf = ({ MODELS_DIR, DATA_DIR }: ModelsPlace): string => MODELS_DIR ?? join(DATA_DIR, 'models')

/** Reports a name that is none in `problems`. */
function onnxModel(
  env: ModelsPlace,
  { name: setting, model }: { name: string; model: string },
  problems: string[],
): OnnxModel | null {
  if (model === ownName) return { ...comesWithIt, setting }
  if (!modelNames.test(model)) {
    problems.push(`${setting}: must be the name of a directory in MODELS_DIR`)
    return null
  }
  return { kind: 'onnx', model, directory: join(modelsDirOf(env), model), setting }
}

const comesWithIt = {
  kind: 'onnx',
  model: ownName,
  directory: null,
  setting: 'EMBED_MODEL',
  dims: null,
} satisfies OnnxEmbedding

const provider = z.enum(['builtin', 'openai', 'pinecone', 'onnx'])
type Provider = z.infer<typeof provider>

const dims = integer(2, 16_384).optional()

/** The settings of embedding, reranking, answers and entailment. */
export const inferenceSettings = {
  INFERENCE: provider
    .default('onnx')
    .describe(
      'Default provider of models: onnx (local models), openai (any OpenAI-compatible server), pinecone, or builtin (no model: search by words)',
    ),
  INFERENCE_BASE_URL: baseUrl.describe('Address of the OpenAI-compatible server, including /v1'),
  INFERENCE_API_KEY: key.describe('API key for INFERENCE_BASE_URL. It is not sent to other servers'),
  PINECONE_API_KEY: key.describe('Pinecone API key, for its models and its vector indexes'),
  PINECONE_CONTROLLER_HOST: baseUrl.describe('Address of the Pinecone API. Default: that of Pinecone'),
  EMBED_PROVIDER: provider.optional().describe('Provider of embedding models. Default: INFERENCE'),
  EMBED_MODEL: model.describe(`Embedding model of all planes. Default: ${ownName}, which comes with the service`),
  EMBED_DIMS: dims.describe('Vector dimensions of EMBED_MODEL. Not needed for a local model'),
  EMBED_PROVIDER_TEXT: provider
    .optional()
    .describe('Provider of the embedding model of the plane text. Default: EMBED_PROVIDER'),
  EMBED_MODEL_TEXT: model.describe('Embedding model of the plane text. Default: EMBED_MODEL'),
  EMBED_DIMS_TEXT: dims.describe('Vector dimensions of the embedding model of the plane text. Default: EMBED_DIMS'),
  EMBED_PROVIDER_VISUAL: provider
    .optional()
    .describe('Provider of the embedding model of the plane visual. Default: EMBED_PROVIDER'),
  EMBED_MODEL_VISUAL: model.describe('Embedding model of the plane visual. Default: EMBED_MODEL'),
  EMBED_DIMS_VISUAL: dims.describe('Vector dimensions of the embedding model of the plane visual. Default: EMBED_DIMS'),
  EMBED_PROVIDER_AUDIO: provider
    .optional()
    .describe('Provider of the embedding model of the plane audio. Default: EMBED_PROVIDER'),
  EMBED_MODEL_AUDIO: model.describe('Embedding model of the plane audio. Default: EMBED_MODEL'),
  EMBED_DIMS_AUDIO: dims.describe('Vector dimensions of the embedding model of the plane audio. Default: EMBED_DIMS'),
  EMBED_PROVIDER_DOC_VISUAL: provider
    .optional()
    .describe('Provider of the embedding model of the plane doc_visual. Default: EMBED_PROVIDER'),
  EMBED_MODEL_DOC_VISUAL: model.describe('Embedding model of the plane doc_visual. Default: EMBED_MODEL'),
  EMBED_DIMS_DOC_VISUAL: dims.describe(
    'Vector dimensions of the embedding model of the plane doc_visual. Default: EMBED_DIMS',
  ),
  EMBED_IMAGES: z
    .enum(['jina', 'vllm', 'infinity'] satisfies PictureShape[])
    .optional()
    .describe(
      'The embedding models of the planes visual and doc_visual on an OpenAI-compatible server also embed pictures, which POST /embeddings takes as this server does: jina, vllm or infinity. Default: they embed texts only',
    ),
  FORMER_EMBED_PROVIDER: provider.optional().describe('Provider of FORMER_EMBED_MODEL. Default: EMBED_PROVIDER'),
  FORMER_EMBED_MODEL: model.describe(
    `Previous embedding model. After a model change it embeds queries until all Units have new embeddings. Default: ${ownName}, where EMBED_MODEL is another`,
  ),
  FORMER_EMBED_DIMS: dims.describe('Vector dimensions of FORMER_EMBED_MODEL'),
  RERANK_PROVIDER: provider.optional().describe('Provider of the reranking model. Default: INFERENCE'),
  RERANK_MODEL: model.describe(
    'Reranking model (a cross-encoder): behind POST /rerank, or local. Default: the built-in reranker',
  ),
  RERANK_BASE_URL: baseUrl.describe('Server of RERANK_MODEL. Default: INFERENCE_BASE_URL'),
  RERANK_API_KEY: key.describe('API key for RERANK_BASE_URL'),
  ...onnxSettings,
  CHAT_MODEL: model.describe(
    'Chat model that writes answers. Default: answers are quotes, selected by the built-in writer',
  ),
  CHAT_BASE_URL: baseUrl.describe('Server of CHAT_MODEL. Default: INFERENCE_BASE_URL'),
  CHAT_API_KEY: key.describe('API key for CHAT_BASE_URL'),
  NLI_PROVIDER: z
    .enum(['tei', 'onnx'])
    .optional()
    .describe(
      'Provider of NLI_MODEL: tei (Text Embeddings Inference) or onnx. Default: onnx if INFERENCE is onnx and no server is named, otherwise tei',
    ),
  NLI_MODEL: model.describe(
    'Model that checks whether the quotes support an answer (NLI): behind POST /predict of Text Embeddings Inference, or local. Default: a built-in lexical check',
  ),
  NLI_BASE_URL: baseUrl.describe('Server of NLI_MODEL. Default: INFERENCE_BASE_URL'),
  NLI_API_KEY: key.describe('API key for NLI_BASE_URL'),
  ...mediaSettings,
  VECTOR_WEIGHTS: vectorWeights
    .optional()
    .describe(
      'Weights of vectors in the fusion with text, by model as the statistics name it: openai:bge-m3@1024=2, own=1. Default: 2 each. `evaluate --fit` finds them',
    ),
  INFERENCE_TIMEOUT_MS: integer(100, 600_000)
    .default(10_000)
    .describe(
      'Timeout in milliseconds of a model call including retries, and of all model calls of one search together',
    ),
  INFERENCE_CONCURRENCY: integer(1, 1000).default(8).describe('Maximum concurrent requests to one model server'),
}

type InferenceEnv = z.infer<z.ZodObject<typeof inferenceSettings>> & { DATA_DIR: string }
type Task = 'RERANK' | 'CHAT' | 'NLI'

/** Reports settings that contradict each other in `problems`. */
export function inferenceConfig(env: InferenceEnv, problems: string[]): InferenceConfig {
  const given = Object.entries(env).some(([name, value]) => /_MODEL(_|$)/u.test(name) && value !== undefined)
  if ((env.INFERENCE === 'openai' || env.INFERENCE === 'pinecone') && !given)
    report(problems, 'INFERENCE: names no model without EMBED_MODEL, RERANK_MODEL, CHAT_MODEL or another model')
  const visual = withPictures(env, planeConfig(env, 'visual', problems))
  const docVisual = withPictures(env, planeConfig(env, 'doc_visual', problems))
  const [text, audio] = [planeConfig(env, 'text', problems), planeConfig(env, 'audio', problems)]
  if (env.EMBED_IMAGES !== undefined && visual.kind !== 'openai' && docVisual.kind !== 'openai')
    report(problems, 'EMBED_IMAGES: needs a model of an OpenAI-compatible server for the plane visual or doc_visual')
  return {
    planes: { text, visual, audio, doc_visual: docVisual },
    former: formerConfig(env, [text, visual, audio, docVisual], problems),
    rerank: rerankConfig(env, problems),
    answers: chatConfig(env, problems),
    entailment: entailmentConfig(env, problems),
    media: mediaConfig(env, problems),
    localOcr: localOcr(env, modelsDirOf(env)),
    vectorWeights: env.VECTOR_WEIGHTS ?? new Map(),
    timeoutMs: env.INFERENCE_TIMEOUT_MS,
    concurrency: env.INFERENCE_CONCURRENCY,
  }
}

const suffixes = { text: 'TEXT', visual: 'VISUAL', audio: 'AUDIO', doc_visual: 'DOC_VISUAL' } as const

type PlaneConfig = InferenceConfig['planes'][Plane]

const withPictures = ({ EMBED_IMAGES: pictures }: InferenceEnv, config: PlaneConfig): PlaneConfig =>
  config.kind === 'openai' && pictures !== undefined ? { ...config, pictures } : config

/** A setting for the plane overrides the setting for all planes. */
function planeConfig(env: InferenceEnv, plane: Plane, problems: string[]): PlaneConfig {
  const suffix = suffixes[plane]
  const own = env[`EMBED_MODEL_${suffix}`]
  const name = own === undefined ? 'EMBED_MODEL' : `EMBED_MODEL_${suffix}`
  const model = own ?? env.EMBED_MODEL
  const by = env[`EMBED_PROVIDER_${suffix}`] ?? env.EMBED_PROVIDER ?? env.INFERENCE
  const isOff = env[`EMBED_PROVIDER_${suffix}`] === 'builtin'
  if (model === undefined) return by === 'builtin' ? { kind: 'builtin' } : comesWithIt
  if (isOff && own === undefined) return { kind: 'builtin' }
  // The dimensions of another model are not a valid default.
  const size = env[`EMBED_DIMS_${suffix}`] ?? (own === undefined ? env.EMBED_DIMS : undefined)
  return embeddingConfig(env, { name, model, by, size }, problems) ?? { kind: 'builtin' }
}

function formerConfig(
  env: InferenceEnv,
  planes: readonly PlaneConfig[],
  problems: string[],
): InferenceConfig['former'] {
  const { FORMER_EMBED_MODEL: model, FORMER_EMBED_DIMS: size, FORMER_EMBED_PROVIDER: own } = env
  if (model !== undefined) {
    const by = own ?? env.EMBED_PROVIDER ?? env.INFERENCE
    return embeddingConfig(env, { name: 'FORMER_EMBED_MODEL', model, by, size }, problems)
  }
  if (size !== undefined || own !== undefined) report(problems, 'FORMER_EMBED_MODEL: is needed with what is said of it')
  const isAnother = planes.some(
    (plane) => plane.kind !== 'builtin' && !('directory' in plane && plane.directory === null),
  )
  return isAnother ? { ...comesWithIt, setting: 'FORMER_EMBED_MODEL' } : null
}

function embeddingConfig(
  env: InferenceEnv,
  { size, ...asked }: Asked & { size: number | undefined },
  problems: string[],
): EmbeddingConfig | null {
  if (asked.by === 'onnx') {
    const local = onnxModel(env, asked, problems)
    return local && { ...local, dims: size ?? null }
  }
  if (size === undefined) report(problems, `${asked.name.replace('MODEL', 'DIMS')}: is needed with ${asked.name}`)
  const remote = remoteModel(env, asked, problems)
  return remote && size !== undefined ? { ...remote, dims: size } : null
}

function rerankConfig(env: InferenceEnv, problems: string[]): InferenceConfig['rerank'] {
  const { RERANK_MODEL: model, RERANK_PROVIDER: by = env.INFERENCE } = env
  if (model === undefined) return needless(env, 'RERANK', problems)
  const asked = { name: 'RERANK_MODEL', model, by, task: 'RERANK' } as const
  const found = by === 'onnx' ? localModel(env, asked, problems) : remoteModel(env, asked, problems)
  return found ?? { kind: 'builtin' }
}

function chatConfig(env: InferenceEnv, problems: string[]): InferenceConfig['answers'] {
  const { CHAT_MODEL: model, CHAT_BASE_URL: own, INFERENCE_BASE_URL: shared = own } = env
  if (model === undefined) return needless(env, 'CHAT', problems)
  if (env.INFERENCE === 'onnx' && shared === undefined) {
    report(problems, 'CHAT_MODEL: no local model writes answers; CHAT_BASE_URL names a server that does')
    return { kind: 'builtin' }
  }
  const endpoint = endpointOf(env, 'CHAT_MODEL', 'CHAT', problems)
  return endpoint ? { kind: 'openai', endpoint, model } : { kind: 'builtin' }
}

/** A configured server judges entailment, independently of the provider of the other tasks. */
function entailmentConfig(env: InferenceEnv, problems: string[]): InferenceConfig['entailment'] {
  const { NLI_MODEL: model, NLI_BASE_URL: own, INFERENCE } = env
  if (model === undefined) return needless(env, 'NLI', problems)
  const isLocal = INFERENCE === 'onnx' && (own ?? env.INFERENCE_BASE_URL) === undefined
  const by = env.NLI_PROVIDER ?? (isLocal ? 'onnx' : 'tei')
  if (by === 'onnx') return localModel(env, { name: 'NLI_MODEL', model, task: 'NLI' }, problems) ?? { kind: 'builtin' }
  const endpoint = endpointOf(env, 'NLI_MODEL', 'NLI', problems)
  return endpoint ? { kind: 'tei', endpoint, model } : { kind: 'builtin' }
}

function localModel(env: InferenceEnv, asked: { name: string; model: string; task: Task }, problems: string[]) {
  const { [`${asked.task}_BASE_URL` as const]: server } = env
  if (server !== undefined) report(problems, `${asked.task}_BASE_URL: makes no sense with a local model`)
  return onnxModel(env, asked, problems)
}

interface Asked {
  /** The setting that names the model. */
  name: string
  model: string
  by: Provider
  task?: Task
}

function remoteModel(env: InferenceEnv, { name, model, by, task }: Asked, problems: string[]): RemoteModel | null {
  if (by === 'openai') {
    const endpoint = endpointOf(env, name, task, problems)
    return endpoint && { kind: 'openai', endpoint, model }
  }
  if (by === 'pinecone') {
    const { PINECONE_API_KEY: apiKey, PINECONE_CONTROLLER_HOST: host = null } = env
    if (apiKey === undefined) report(problems, `PINECONE_API_KEY: is needed with ${name}`)
    return apiKey === undefined ? null : { kind: 'pinecone', endpoint: { host, apiKey }, model }
  }
  report(problems, `INFERENCE: must be openai, pinecone or onnx with ${name}`)
  return null
}
