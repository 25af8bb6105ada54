import { batchesOf as batchesWithin } from '../../async/batches.ts'
import { toUnitVector } from '../../model/unit-vector.ts'
import type { Entailment } from '../../ports/models/entailment.ts'
import type { EmbeddingKind, EmbeddingModel } from '../../ports/models/inference.ts'
import type { Reranker } from '../../ports/models/reranker.ts'
import type { Input, ModelSpec } from './messages.ts'
import { OnnxError, type Runner, type RunOptions } from './runner.ts'

/** A loaded, running model. */
export interface LoadedModel {
  /** Numbers in each row. */
  width: number
  /** One row for each input, in order: a vector, or logits. Throws as the runner does, and for rows without numbers. */
  run(inputs: readonly Input[], options: RunOptions): Promise<Float32Array[]>
}

/** Loads a model and makes a test run, so that all its errors show now. */
export async function loadModel(runner: Runner, spec: ModelSpec): Promise<LoadedModel> {
  await runner.load(spec)
  // Of different lengths, so that one is padded.
  const texts = ['a', 'a longer text']
  const samples = texts.map((text): Input => (spec.task === 'embed' ? [text] : [text, text]))
  const [row] = await runner.run(spec.key, samples, { urgent: true })
  const width = row?.length ?? 0
  return {
    width,
    run: async (inputs, options) => {
      const rows: Float32Array[] = []
      // One batch after another: other calls get their turns in between.
      for (const batch of batchesOf(inputs, spec.maxTokens)) {
        const texts = batch.map(({ input }) => input)
        const found = await runner.run(spec.key, texts, options)
        for (const [i, { place }] of batch.entries()) rows[place] = sound(found[i], width)
      }
      return rows
    },
  }
}

function sound(row: Float32Array | undefined, width: number): Float32Array {
  if (row?.length !== width || !row.every(Number.isFinite)) throw new OnnxError('run', 'the model gave no numbers')
  return row
}

/** An input, and its position among all inputs. */
interface Sized {
  place: number
  input: Input
  bytes: number
}

/** About 1,000 tokens: enough to use the runtime well, and few enough that an urgent batch waits only briefly. */
const maxSize = 4096
const maxItems = 32

/**
 * Inputs in batches of similar work. All inputs of a batch are padded to its longest one, so similar lengths go
 * together. A token is about four bytes of UTF-8, in most languages.
 */
export function batchesOf(inputs: readonly Input[], maxTokens: number): Sized[][] {
  const sized = inputs.map((input, place) => ({ place, input, bytes: Math.min(maxTokens * 4, bytesOf(input)) }))
  sized.sort((a, b) => a.bytes - b.bytes)
  return batchesWithin(sized, { maxItems, maxSize, sizeWith: ({ bytes }, _, count) => (count + 1) * bytes })
}

const bytesOf = (input: Input) => input.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

export interface Embedder {
  model: EmbeddingModel
  /** As in the port. */
  embed(texts: readonly string[], kind: EmbeddingKind, signal?: AbortSignal): Promise<(Float32Array | null)[]>
}

/** Embeds texts with letters or digits, after the prompt that the model was trained with. */
export function createEmbedder(name: string, model: LoadedModel, prompts: Record<EmbeddingKind, string>): Embedder {
  return {
    // The width is part of the name: another model may later replace this one under the same name.
    model: { name: `onnx:${name}@${model.width}`, dims: model.width, builtin: false },
    embed: async (texts, kind, signal) => {
      const inputs = texts.filter(hasWords).map((text) => [prompts[kind] + text] as const)
      const vectors = (await model.run(inputs, { signal, urgent: kind === 'query' })).map(normalised).values()
      return texts.map((text) => (hasWords(text) ? (vectors.next().value ?? null) : null))
    },
  }
}

const hasWords = (text: string) => /[\p{L}\p{N}]/u.test(text)

function normalised(vector: Float32Array): Float32Array {
  const unit = toUnitVector(vector)
  if (unit === null) throw new OnnxError('run', 'the model gave a vector without direction')
  return unit
}

/** The model reads each pair as a whole, on this machine. */
const depth = 30

/** A cross-encoder with one logit. A hit without text cannot be read: it keeps its score. */
export function createReranker(name: string, model: LoadedModel): Reranker {
  return {
    model: `onnx:${name}`,
    depth,
    score: async (query, candidates, signal) => {
      const read = candidates.filter(({ text }) => text.trim() !== '')
      const inputs = read.map(({ text }) => [query, text] as const)
      const logits = (await model.run(inputs, { signal, urgent: true })).values()
      return candidates.map(({ text, score }) =>
        text.trim() === '' ? score : logistic(logits.next().value?.[0] ?? Number.NEGATIVE_INFINITY),
      )
    },
  }
}

const logistic = (logit: number) => 1 / (1 + Math.exp(-logit))

/** Of a probability. */
const threshold = 0.5
/** The models' labels for the class: `entailment`, `ENTAILMENT`; models that judge summaries use `consistent`. */
const entails = /^(?:entail(?:ment|ed)?|consistent)$/iu

/** Which of a model's classes means that the second text follows from the first; null if none does. */
export function classOfEntailment(labels: readonly string[] | null): number | null {
  const found = labels?.findIndex((label) => entails.test(label)) ?? -1
  return found < 0 ? null : found
}

/** An NLI cross-encoder: its probability of entailment. */
export function createEntailment(name: string, model: LoadedModel, entailed: number): Entailment {
  return {
    method: `onnx:${name}`,
    threshold,
    score: async (pairs, signal) => {
      const inputs = pairs.map(({ premise, hypothesis }) => [premise, hypothesis] as const)
      return (await model.run(inputs, { signal, urgent: true })).map((logits) => softmaxAt(logits, entailed))
    },
  }
}

function softmaxAt(logits: Float32Array, at: number): number {
  const max = Math.max(...logits)
  const weights = Array.from(logits, (logit) => Math.exp(logit - max))
  return (weights[at] ?? 0) / weights.reduce((sum, weight) => sum + weight, 0)
}
