import { unlessAborted } from '../../async/limits.ts'
import { batchesOf } from '../../async/pieces.ts'
import { toUnitVector } from '../../model/unit.ts'
import type { Entailment } from '../../ports/models/entailment.ts'
import type { Cosines, EmbeddingKind, EmbeddingModel } from '../../ports/models/inference.ts'
import type { Picture } from '../../ports/models/media-models.ts'
import type { Reranker } from '../../ports/models/reranker.ts'
import type { Decoder } from '../local-models/decoder.ts'
import type { Fit } from '../local-models/pixels.ts'
import type { Input, ModelSpec, TextInput } from './messages.ts'
import { OnnxError, type Runner, type RunOptions } from './runner.ts'

/** A model, loaded or not. */
export interface LoadedModel {
  /** Numbers in each row. */
  width: number
  /** False until it was used, and after the time in which nobody used it. */
  isLoaded(): boolean
  load(): Promise<void>
  /** One row for each input, in order: a vector, or logits. Throws as the runner does, and for rows without numbers. */
  run(inputs: readonly Input[], options: RunOptions): Promise<Float32Array[]>
}

/**
 * A model of which its files say the width is loaded at its first use. Otherwise it is loaded now and makes a test run, so
 * that all its errors show now.
 */
export async function addModel(runner: Runner, spec: ModelSpec, known: number | null): Promise<LoadedModel> {
  runner.add(spec)
  const width = known ?? (await widthOf(runner, spec))
  return {
    width,
    isLoaded: () => runner.isLoaded(spec.key),
    load: () => runner.load(spec.key),
    run: async (inputs, options) => {
      const rows: Float32Array[] = []
      // One group after another: other calls get their turns in between.
      for (const group of groupsOf(inputs, spec.maxTokens)) {
        const found = await runner.run(spec.key, group, options)
        for (const [i] of group.entries()) rows.push(sound(found[i], width))
      }
      return rows
    },
  }
}

async function widthOf(runner: Runner, { key, task, view }: ModelSpec): Promise<number> {
  const blank = view && { ...view, data: new Uint8Array(view.width * view.height * 3) }
  const [row] = await runner.run(key, [blank ?? (task === 'embed' ? ['a'] : ['a', 'a'])], { urgent: true })
  return row?.length ?? 0
}

function sound(row: Float32Array | undefined, width: number): Float32Array {
  if (row?.length !== width || !row.every(Number.isFinite)) throw new OnnxError('run', 'the model gave no numbers')
  return row
}

/** About 500 tokens: an urgent call waits for no more. */
const maxSize = 2048
const maxItems = 32

/** Inputs in groups of little work, in order. A token is about four bytes of UTF-8, in most languages. */
export const groupsOf = <T extends Input>(inputs: readonly T[], maxTokens: number): T[][] =>
  batchesOf(inputs, {
    maxItems,
    maxSize,
    sizeWith: (input, size) => size + ('data' in input ? maxSize : Math.min(maxTokens * 4, bytesOf(input))),
  })

const bytesOf = (input: TextInput) => input.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

export interface Embedder {
  model: EmbeddingModel
  /** As in the port. */
  embed(texts: readonly string[], kind: EmbeddingKind, signal?: AbortSignal): Promise<(Float32Array | null)[]>
  embedImages?(
    pictures: readonly Picture[],
    kind: EmbeddingKind,
    signal?: AbortSignal,
  ): Promise<(Float32Array | null)[]>
}

/** A tower for pictures, and what it needs of each. */
export interface PictureTower {
  tower: LoadedModel
  fit: Fit
  decoder: Pick<Decoder, 'decode'>
}

/** A query does not wait for a model that is not loaded. */
function refuseUnloaded(model: LoadedModel, kind: EmbeddingKind): void {
  if (kind !== 'query' || model.isLoaded()) return
  model.load().catch(() => {})
  throw new OnnxError('load', 'the model is being loaded')
}

/** Embeds texts with letters or digits, after the prompt that the model was trained with; pictures too with a tower for them. */
export function createEmbedder(
  { name, builtin, cosines }: { name: string; builtin: boolean; cosines: Cosines | undefined },
  model: LoadedModel,
  prompts: Record<EmbeddingKind, string>,
  pictures: PictureTower | null,
): Embedder {
  return {
    // Another width and another engine give vectors that cannot be compared with these.
    model: {
      name: `${name}@${model.width}/ort`,
      dims: model.width,
      builtin,
      fallback: false,
      atOnce: 16,
      ...(cosines && { cosines }),
      ...(pictures && { images: true }),
    },
    embed: async (texts, kind, signal) => {
      refuseUnloaded(model, kind)
      const parts = texts.map((text) => (kind === 'query' ? [text] : passagesOf(text)).filter(hasWords))
      const inputs = parts.flat().map((text) => [prompts[kind] + text] as const)
      const vectors = (await model.run(inputs, { signal, urgent: kind === 'query' })).map(normalised).values()
      return parts.map(({ length }) => joined([...vectors.take(length)]))
    },
    ...(pictures && { embedImages: createImageEmbedder(pictures) }),
  }
}

const createImageEmbedder =
  ({ tower, fit, decoder }: PictureTower): NonNullable<Embedder['embedImages']> =>
  async (pictures, kind, signal) => {
    refuseUnloaded(tower, kind)
    const vectors: (Float32Array | null)[] = []
    for (const picture of pictures) {
      const pixels = await unlessAborted(decoder.decode(picture, fit, signal), signal)
      const [row] = 'problem' in pixels ? [] : await tower.run([pixels], { signal, urgent: kind === 'query' })
      vectors.push(row ? toUnitVector(row) : null)
    }
    return vectors
  }

/** One after another; null for none. */
function joined(vectors: readonly Float32Array[]): Float32Array | null {
  const [first] = vectors
  if (first === undefined || vectors.length === 1) return first ?? null
  const all = new Float32Array(vectors.length * first.length)
  for (const [i, vector] of vectors.entries()) all.set(vector, i * first.length)
  return all
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

/** A text of no more is best embedded as a whole: small models read 256 tokens (bench/embeddings). */
const wholeWords = 190
const passageWords = 180
/** That a passage shares with the one before it, at least. */
const sharedWords = 45
const maxPassages = 16
const step = passageWords - sharedWords
const maxWords = passageWords + (maxPassages - 1) * step

/** Between spaces; in scripts that have none, two signs are about a word. */
const unspaced = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`
const word = new RegExp(`[${unspaced}]{1,2}|[^\\s${unspaced}]+`, 'gu')

/** The text, or if it is long its passages of 180 words: the fewest that overlap, evenly spread over its first 2,200 words. */
function passagesOf(text: string): string[] {
  const words: { start: number; end: number }[] = []
  for (const { 0: found, index } of text.matchAll(word)) {
    words.push({ start: index, end: index + found.length })
    if (words.length === maxWords) break
  }
  if (words.length <= wholeWords) return [text]
  const extra = words.length - passageWords
  const last = Math.ceil(extra / step)
  return Array.from({ length: last + 1 }, (_, i) => {
    const first = Math.round((i * extra) / last)
    return text.slice(words[first]?.start, words[first + passageWords - 1]?.end)
  })
}
