import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Encoding, Tokenizer } from '@huggingface/tokenizers'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { answerCalls } from '../../async/calls.ts'
import { createTokenizer } from './create-tokenizer.ts'
import { fitTokens } from './fit-tokens.ts'
import type { Failure, Input, ModelCalls, ModelSpec, Pooling } from './messages.ts'

// The model thread: the runtime computes on the thread that calls it, and would block the whole service there.

type Runtime = typeof import('onnxruntime-node')

interface Loaded {
  spec: ModelSpec
  tokenizer: Tokenizer
  padding: bigint
  session: InferenceSession
}

const loaded = new Map<string, Loaded>()

/** Searches need the other cores. Without spinning, an idle core of the runtime takes no time from them. */
const options: InferenceSession.SessionOptions = {
  intraOpNumThreads: Math.max(1, Math.min(4, availableParallelism() >> 1)),
  interOpNumThreads: 1,
  logSeverityLevel: 4,
  extra: { session: { intra_op: { allow_spinning: '0' } } },
}

async function load({ InferenceSession }: Runtime, spec: ModelSpec): Promise<null> {
  const tokenizer = JSON.parse((await checked(spec, 'tokenizer.json')).toString('utf8'))
  const config = JSON.parse(await readFile(join(spec.directory, 'tokenizer_config.json'), 'utf8'))
  // From a path the runtime also finds weights that lie beside the graph, and they are in memory once.
  const session = await (spec.parts === 0
    ? InferenceSession.create(await checkedPath(spec, spec.weights), options)
    : fromParts(InferenceSession, spec))
  const padding = BigInt(tokenizer.padding?.pad_id ?? config.pad_token_id ?? 0)
  loaded.set(spec.key, { spec, tokenizer: createTokenizer(tokenizer, config), padding, session })
  return null
}

/** The path of a file. Throws if it is not the one that the model's manifest names. */
async function checkedPath({ directory, hashes }: ModelSpec, file: string): Promise<string> {
  const path = join(directory, file)
  if (hashes[file] === undefined) return path
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  if (hash.digest('hex') !== hashes[file]) throw another(file)
  return path
}

const another = (file: string) => new Error(`${file} is not the file that model.json names: its SHA-256 differs`)

/** The bytes of a file, read in parts or whole. Throws if they are not those that the model's manifest names. */
async function checked({ directory, hashes }: ModelSpec, file: string, parts = 0): Promise<Buffer<ArrayBuffer>> {
  const names = parts === 0 ? [file] : Array.from({ length: parts }, (_, i) => `${file}.part${i + 1}`)
  const paths = names.map((name) => join(directory, name))
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size))
  const bytes = Buffer.from(new ArrayBuffer(sizes.reduce((sum, size) => sum + size, 0)))
  let end = 0
  for (const path of paths) for await (const chunk of createReadStream(path)) end += chunk.copy(bytes, end)
  const expected = hashes[file]
  if (expected !== undefined && createHash('sha256').update(bytes).digest('hex') !== expected) throw another(file)
  return bytes
}

async function fromParts({ create }: Runtime['InferenceSession'], spec: ModelSpec): Promise<InferenceSession> {
  const bytes = await checked(spec, spec.weights, spec.parts)
  const session = await create(bytes, options)
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

async function runOne({ Tensor }: Runtime, { spec, tokenizer, padding, session }: Loaded, input: Input) {
  const { ids, token_type_ids } = encode(tokenizer, input, spec.maxTokens)
  // A graph may take no empty text.
  const tokens = ids.length === 0 ? [padding] : ids.map(BigInt)
  const numbers: Readonly<Record<string, bigint[]>> = {
    input_ids: tokens,
    attention_mask: tokens.map(() => 1n),
    token_type_ids: tokens.map((_: bigint, i: number) => BigInt(token_type_ids?.[i] ?? 0)),
  }
  const feeds = session.inputNames.map((name) => {
    const values = numbers[name]
    if (values === undefined) throw new Error(`the model has an input ${name}, which no text gives`)
    return [name, new Tensor('int64', BigInt64Array.from(values), [1, values.length])] as const
  })
  const outputs = await session.run(Object.fromEntries(feeds))
  return spec.task === 'embed' ? vectorOf(outputs, spec) : logitsOf(outputs)
}

function encode(tokenizer: Tokenizer, input: Input, maxTokens: number) {
  let last: Encoding & { token_type_ids: number[] } = { ids: [], tokens: [], attention_mask: [], token_type_ids: [] }
  fitTokens(input, maxTokens, ([text, pair]) => {
    last = tokenizer.encode(text, { text_pair: pair ?? null, return_token_type_ids: true })
    return last.ids.length
  })
  return last
}

type Outputs = Readonly<Record<string, Tensor | undefined>>

function vectorOf(
  { sentence_embedding: pooled, last_hidden_state, token_embeddings }: Outputs,
  { pooling }: ModelSpec,
) {
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
