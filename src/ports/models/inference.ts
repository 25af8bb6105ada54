import type { Plane } from '../../model/unit.ts'
import type { Picture } from './media-models.ts'

/** A plane's embedding model. Vectors of different models are never compared. */
export interface EmbeddingModel {
  name: string
  dims: number
  /** It comes with the service: callers' own vectors are a model of their own beside it. */
  builtin: boolean
  /** True for hashed n-grams: a leg that only fills up what the others did not find. */
  fallback: boolean
  /** It has a second tower, for pictures, whose vectors compare with those of its texts: `embedImages` takes them. */
  images?: boolean
  /** How many texts a call should bring, so that a caller who stops waiting has those of the calls before. */
  atOnce: number
  /** What its cosines say, if it was measured. */
  cosines?: Cosines
}

/** Measured on pairs of texts about different things, and about the same one (bench/embeddings). */
export interface Cosines {
  /** One in a hundred texts that have nothing to do with a query in their language is nearer to it than this. */
  floor: number
  /** The same for texts in another language than the query's; without it, `floor`. */
  floorAcross?: number
  /** ISO 639 codes of the languages that it understands; without it, all. */
  languages?: readonly string[]
}

/** What is embedded: a document or a query. Some models embed the two differently. */
export type EmbeddingKind = 'passage' | 'query'

export interface Inference {
  model(plane: Plane): EmbeddingModel
  /**
   * Per text, in order, a vector of length 1: of a long passage several, one after another, of its parts. Null for a text with
   * nothing to embed. Throws when the provider fails, or does not answer before the signal.
   */
  embed(
    plane: Plane,
    texts: readonly string[],
    kind: EmbeddingKind,
    signal?: AbortSignal,
  ): Promise<(Float32Array | null)[]>
  /**
   * The same for pictures, of a plane whose model has `images`. Null for a picture that the model does not take: it is damaged,
   * too large or of another type.
   */
  embedImages?(
    plane: Plane,
    pictures: readonly Picture[],
    kind: EmbeddingKind,
    signal?: AbortSignal,
  ): Promise<(Float32Array | null)[]>
  /** Throws while a provider is known to be failing. */
  ping(): Promise<void>
}
