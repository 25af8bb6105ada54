import type { Plane } from '../../model/unit.ts'

/** A plane's embedding model. Vectors of different models are never compared. */
export interface EmbeddingModel {
  name: string
  dims: number
  /** True for hashed n-grams: a fallback leg with no weight when the text leg answers. */
  builtin: boolean
}

/** What is embedded: a document or a query. Some models embed the two differently. */
export type EmbeddingKind = 'passage' | 'query'

export interface Inference {
  model(plane: Plane): EmbeddingModel
  /**
   * One L2-normalised vector per text, in order. Null for a text with nothing to embed. Throws when the provider fails,
   * or does not answer before the signal.
   */
  embed(
    plane: Plane,
    texts: readonly string[],
    kind: EmbeddingKind,
    signal?: AbortSignal,
  ): Promise<(Float32Array | null)[]>
  /** Throws while a provider is known to be failing. */
  ping(): Promise<void>
}
