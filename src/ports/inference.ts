import type { Plane } from '../model/unit.ts'

/** A plane's embedding model. Vectors of different models are never compared. */
export interface EmbeddingModel {
  name: string
  dims: number
  /** True for hashed n-grams: a fallback leg that carries no weight where the text leg answers. */
  builtin: boolean
}

export interface Inference {
  model(plane: Plane): EmbeddingModel
  /** One L2-normalised vector per text, in order. Null for a text with nothing to embed. Throws when the provider fails. */
  embed(plane: Plane, texts: readonly string[]): Promise<(Float32Array | null)[]>
  ping(): Promise<void>
}
