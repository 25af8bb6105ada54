import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Encoding, Tokenizer } from '@huggingface/tokenizers'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { answerCalls } from '../../async/calls.ts'
import type { Pixels } from '../local-models/pixels.ts'
import { checkedBytes, checkedPath, modelThreads } from '../local-models/runtime.ts'
import { createTokenizer } from './create-tokenizer.ts'
import { fitTokens } from './fit-tokens.ts'
import type { Failure, Input, ModelCalls, ModelSpec, Pooling, TextInput, View } from './messages.ts'

// The model thread: the runtime computes on the thread that calls it, and would block the whole service there.

type Runtime = typeof import('onnxruntime-node')

interface Loaded {
  spec: ModelSpec
  /** Null for a tower for pictures. */
  words: Words | null
  session: InferenceSession
}

interface Words {
  tokenizer: Tokenizer
  padding: bigint
}

const loaded = new Map<string, Loaded>()

/** Tokens: the memory that a model of no longer texts needs for one of them. 10 MB for 256 tokens and 25 for 512, with 384 dimensions. */
const maxKept = 512

/**
 * Without an arena, which keeps that memory, the system maps, clears and takes back every tensor above 128 KiB: a quarter of the time of
 * a text, and other threads wait meanwhile. A memory pattern for each length of texts would only take more.
 */
const optionsFor = ({ maxTokens, view }: ModelSpec): InferenceSession.SessionOptions => ({
  intraOpNumThreads: modelThreads,
  interOpNumThreads: 1,
  enableCpuMemArena: view === null && maxTokens <= maxKept,
  enableMemPattern: false,
  logSeverityLevel: 4,
  // Without spinning, an idle core of the runtime takes no time from the others.
  extra: { session: { intra_op: { allow_spinning: '0' } } },
})

async function load({ InferenceSession }: Runtime, spec: ModelSpec): Promise<null> {
  const { directory, weights, hashes } = spec
  const words = spec.view === null ? await loadWords(spec) : null
  // From a path the runtime also finds weights that lie beside the graph, and they are in memory once.
  const session = await (spec.parts === 0
    ? InferenceSession.create(await checkedPath(directory, weights, hashes[weights]), optionsFor(spec))
    : fromParts(InferenceSession, spec))
  loaded.set(spec.key, { spec, words, session })
  return null
}

async function loadWords({ directory, hashes }: ModelSpec): Promise<Words> {
  const file = 'tokenizer.json'
  const tokenizer = JSON.parse((await checkedBytes(directory, file, hashes[file])).toString('utf8'))
  const config = JSON.parse(await readFile(join(directory, 'tokenizer_config.json'), 'utf8'))
  const named = tokenizer.added_tokens?.find(({ content }: { content: string }) => content === config.pad_token)
  const padding = BigInt(tokenizer.padding?.pad_id ?? config.pad_token_id ?? named?.id ?? 0)
  return { tokenizer: createTokenizer(tokenizer, config), padding }
}

async function fromParts({ create }: Runtime['InferenceSession'], spec: ModelSpec): Promise<InferenceSession> {
  const bytes = await checkedBytes(spec.directory, spec.weights, spec.hashes[spec.weights], spec.parts)
  const session = await create(bytes, optionsFor(spec))
  // The runtime has its own copy. An idle thread collects no garbage; Node 20 has no such call.
  bytes.buffer.transfer?.(0)
  return session
}

/**
 * Each input runs alone: quantised models scale their numbers by all that is in a batch, so that in one a text's vector
 * would depend on the texts of others.
 */
async function run(runtime: Runtime, key: string, inputs: readonly Input[]): Promise<Float32Array[]> {
  const model = loaded.get(key)
  if (model === undefined) throw new Error('the model is not loaded')
  const rows: Float32Array[] = []
  for (const input of inputs) rows.push(await runOne(runtime, model, input))
  return rows
}

async function runOne({ Tensor }: Runtime, { spec, words, session }: Loaded, input: Input) {
  const read: Readonly<Record<string, Tensor>> =
    'data' in input ? pixelsFor(Tensor, spec.view, input) : tokensFor(Tensor, words, spec, input)
  const feeds = session.inputNames.map((name) => {
    const tensor = read[name]
    if (tensor === undefined) throw new Error(`the model has an input ${name}, which no text and no picture gives`)
    return [name, tensor] as const
  })
  const outputs = await session.run(Object.fromEntries(feeds))
  return spec.task === 'classify' ? logitsOf(outputs) : vectorOf(outputs, spec)
}

type MakeTensor = Runtime['Tensor']

function tokensFor(Tensor: MakeTensor, words: Words | null, { maxTokens, padded }: ModelSpec, input: TextInput) {
  if (words === null) throw new Error('the model reads no texts')
  const { ids, token_type_ids } = encode(words.tokenizer, input, maxTokens)
  // A graph may take no empty text.
  const length = padded ? maxTokens : Math.max(1, ids.length)
  const numbers = (at: (i: number) => bigint) =>
    new Tensor(
      'int64',
      BigInt64Array.from({ length }, (_, i) => at(i)),
      [1, length],
    )
  return {
    input_ids: numbers((i) => (i < ids.length ? BigInt(ids[i] ?? 0) : words.padding)),
    attention_mask: numbers((i) => (i < Math.max(1, ids.length) ? 1n : 0n)),
    token_type_ids: numbers((i) => BigInt(token_type_ids?.[i] ?? 0)),
  }
}

/** One plane for each colour: 1 × 3 × height × width. */
function pixelsFor(Tensor: MakeTensor, view: View | null, { width, height, data }: Pixels) {
  if (view?.width !== width || view.height !== height) throw new Error('the model reads pictures of another size')
  const { scale, mean, deviation } = view
  const values = new Float32Array(3 * width * height)
  for (let colour = 0, to = 0; colour < 3; colour += 1) {
    const [middle = 0, spread = 1] = [mean[colour], deviation[colour]]
    for (let from = colour; from < data.length; from += 3, to += 1)
      values[to] = ((data[from] ?? 0) * scale - middle) / spread
  }
  return { pixel_values: new Tensor('float32', values, [1, 3, height, width]) }
}

function encode(tokenizer: Tokenizer, input: TextInput, maxTokens: number) {
  let last: Encoding & { token_type_ids: number[] } = { ids: [], tokens: [], attention_mask: [], token_type_ids: [] }
  fitTokens(input, maxTokens, ([text, pair]) => {
    last = tokenizer.encode(text, { text_pair: pair ?? null, return_token_type_ids: true })
    return last.ids.length
  })
  return last
}

type Outputs = Readonly<Record<string, Tensor | undefined>>

/** What graphs with two towers call the vector of a text or of a picture. */
const ownVectors = ['text_embeds', 'image_embeds', 'pooler_output']

function vectorOf(outputs: Outputs, { pooling }: ModelSpec) {
  if (pooling === 'graph') {
    const found = ownVectors.flatMap((name) => outputs[name] ?? [])[0]
    if (found?.dims.length !== 2) throw new Error(`the model has no output ${ownVectors.join(' or ')}`)
    return rowOf(found)
  }
  const { sentence_embedding: pooled, last_hidden_state, token_embeddings } = outputs
  if (pooled) return rowOf(pooled)
  const hidden = last_hidden_state ?? token_embeddings
  if (hidden?.dims.length !== 3) throw new Error('the model has no output last_hidden_state')
  return pool(hidden, pooling)
}

function logitsOf({ logits }: Outputs): Float32Array {
  if (logits?.dims.length !== 2) throw new Error('the model has no output logits')
  return rowOf(logits)
}

const rowOf = ({ data }: Tensor): Float32Array => Float32Array.from(data as ArrayLike<number>, Number)

/** A text's vector, from its token vectors (1 x tokens x dims). */
function pool({ data, dims }: Tensor, pooling: Pooling): Float32Array {
  const [_, length = 0, width = 0] = dims
  const values = data as Float32Array
  const [from, to] = pooling === 'mean' ? [0, length] : pooling === 'cls' ? [0, 1] : [length - 1, length]
  const vector = new Float32Array(width)
  for (let token = from; token < to; token += 1) {
    for (let d = 0; d < width; d += 1) vector[d] = (vector[d] ?? 0) + (values[token * width + d] ?? 0) / (to - from)
  }
  return vector
}

/** What the work returns, or why it failed. */
async function answer<T>(of: 'load' | 'run', work: (runtime: Runtime) => Promise<T>): Promise<T | Failure> {
  const runtime = await import('onnxruntime-node').catch(messageOf)
  if (typeof runtime === 'string') return { of: 'package', message: runtime }
  return work(runtime).catch((error: unknown) => ({ of, message: messageOf(error) }))
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).split('\n', 1).join()

answerCalls<ModelCalls>({
  load: (spec) => answer('load', (runtime) => load(runtime, spec)),
  run: ({ key, inputs }) => answer('run', (runtime) => run(runtime, key, inputs)),
})
