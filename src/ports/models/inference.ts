import type { Plane } from '../../model/unit.ts'

/** A plane's embedding model. Vectors of different models are never compared. */
export interface EmbeddingModel {
  name: string
  dims: number
  /** It comes with the service: callers' own vectors are a model of their own beside it. */
  builtin: boolean
  /** True for hashed n-grams: a leg that only fills up what the others did not find. */
  fallback: boolean
  /** How many texts a call should bring, so that a caller who stops waiting has those of the calls before. */
  atOnce: number
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
