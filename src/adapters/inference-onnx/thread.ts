import { answerCalls } from '../../async/calls.ts'
import { fitTokens } from './fit-tokens.ts'
import type { Failure, Input, ModelCalls, ModelSpec } from './messages.ts'
import { pool, rowsOf } from './pooling.ts'
import { importTransformers, type Model, type Tensors, type Tokenizer, type Transformers } from './transformers.ts'

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
