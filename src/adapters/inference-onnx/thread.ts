import { answerCalls } from '../../async/calls.ts'
import { fitTokens } from './fit-tokens.ts'
import type { Failure, Input, ModelCalls, ModelSpec, Pooling } from './messages.ts'

// The model thread: the runtime computes on the thread that calls it, and would block the whole service there.

const loaded = new Map<string, { spec: ModelSpec; tokenizer: Tokenizer; model: Model }>()
const types = { return_token_type_ids: true }

async function load(transformers: Transformers, spec: ModelSpec): Promise<null> {
  const { AutoTokenizer, AutoModel, AutoModelForSequenceClassification } = transformers
  const loader = spec.task === 'embed' ? AutoModel : AutoModelForSequenceClassification
  const tokenizer = await AutoTokenizer.from_pretrained(spec.directory)
  const model = await loader.from_pretrained(spec.directory, { dtype: spec.dtype, device: 'cpu' })
  loaded.set(spec.key, { spec, tokenizer, model })
  return null
}

async function run(key: string, inputs: readonly Input[]): Promise<Float32Array[]> {
  const known = loaded.get(key)
  if (known === undefined) throw new Error('the model is not loaded')
  const { spec, tokenizer, model } = known
  const count = ([text, pair]: Input) => tokenizer.encode(text, pair === undefined ? {} : { text_pair: pair }).length
  const fitting = inputs.map((input) => fitTokens(input, spec.maxTokens, count))
  const first = fitting.map(([text]) => text)
  const second = fitting.flatMap(([_, pair]) => pair ?? [])
  const pairs = second.length === 0 ? {} : { text_pair: second }
  const tensors = tokenizer(first, { ...pairs, ...types, padding: true })
  return spec.task === 'embed' ? vectorsOf(await model(tensors), tensors, spec) : logitsOf(await model(tensors))
}

function vectorsOf(outputs: Tensors, { attention_mask: mask }: Tensors, { pooling }: ModelSpec): Float32Array[] {
  const { sentence_embedding: pooled, last_hidden_state, token_embeddings } = outputs
  if (pooled) return rowsOf(pooled)
  const hidden = last_hidden_state ?? token_embeddings
  if (hidden?.dims.length !== 3 || !mask) throw new Error('the model has no output last_hidden_state')
  return pool(hidden, mask, pooling)
}

function logitsOf({ logits }: Tensors): Float32Array[] {
  if (logits?.dims.length !== 2) throw new Error('the model has no output logits')
  return rowsOf(logits)
}

/** What the work returns, or why it failed. */
async function answer<T>(of: 'load' | 'run', work: (transformers: Transformers) => Promise<T>): Promise<T | Failure> {
  const transformers = await importTransformers().catch(messageOf)
  if (typeof transformers === 'string') return { of: 'package', message: transformers }
  return work(transformers).catch((error: unknown) => ({ of, message: messageOf(error) }))
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).split('\n', 1).join()

answerCalls<ModelCalls>({
  load: (spec) => answer('load', (transformers) => load(transformers, spec)),
  run: ({ key, inputs }) => answer('run', () => run(key, inputs)),
})

/** One vector for each text of a batch, from its token vectors (texts × tokens × dims); padding does not count. */
function pool({ data, dims }: Tensor, { data: mask }: Tensor, pooling: Pooling): Float32Array[] {
  const [texts = 0, length = 0, width = 0] = dims
  return Array.from({ length: texts }, (_, text) => {
    const tokens = Array.from({ length }, (_, i) => text * length + i).filter((token) => Number(mask[token]) > 0)
    const used = pooling === 'mean' ? tokens : pooling === 'cls' ? tokens.slice(0, 1) : tokens.slice(-1)
    const vector = new Float32Array(width)
    for (const token of used) {
      for (let d = 0; d < width; d++) vector[d] = (vector[d] ?? 0) + Number(data[token * width + d]) / used.length
    }
    return vector
  })
}

/** The rows of a matrix. */
function rowsOf({ data, dims }: Tensor): Float32Array[] {
  const [rows = 0, width = 0] = dims
  return Array.from({ length: rows }, (_, row) =>
    Float32Array.from({ length: width }, (_, i) => Number(data[row * width + i])),
  )
}

/** The parts of @huggingface/transformers in use; its types are missing where the package is not installed. */
interface Transformers {
  env: { allowRemoteModels: boolean; useFSCache: boolean; logLevel: number }
  LogLevel: { NONE: number }
  AutoTokenizer: { from_pretrained(directory: string): Promise<Tokenizer> }
  AutoModel: ModelLoader
  AutoModelForSequenceClassification: ModelLoader
}

interface ModelLoader {
  from_pretrained(directory: string, options: { dtype: string; device: 'cpu' }): Promise<Model>
}

interface Tokenizer {
  (texts: readonly string[], options: TokenizerOptions & { padding: true }): Tensors
  encode(text: string, options: TokenizerOptions): number[]
}

interface TokenizerOptions {
  text_pair?: unknown
  return_token_type_ids?: boolean
}

type Model = (inputs: Tensors) => Promise<Tensors>

interface Tensor {
  data: ArrayLike<number | bigint>
  dims: readonly number[]
}

type Tensors = Readonly<Record<string, Tensor | undefined>>

// Hidden from the compiler: the package is optional.
const packageName: string = '@huggingface/transformers'

/** Reads models only from directories: downloads, caches and prints nothing. */
async function importTransformers(): Promise<Transformers> {
  const transformers: Transformers = await import(packageName)
  const { env, LogLevel } = transformers
  Object.assign(env, { allowRemoteModels: false, useFSCache: false, logLevel: LogLevel.NONE })
  return transformers
}
