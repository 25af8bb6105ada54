import { toUnitVector } from '../../model/unit-vector.ts'
import type { EmbeddingKind, EmbeddingModel } from '../../ports/models/inference.ts'
import type { LoadedModel } from './loaded-model.ts'
import { OnnxError } from './worker.ts'

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
