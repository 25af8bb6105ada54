import type { Pixels } from '../local-models/pixels.ts'

/** The messages to and from the model thread. */

/** How a text's vector is made from its token vectors: their mean, the first one, the last one; or the graph makes it. */
export type Pooling = 'mean' | 'cls' | 'lasttoken' | 'graph'

export interface ModelSpec {
  /** Unique among the loaded models. */
  key: string
  task: 'embed' | 'classify'
  directory: string
  /** The file of the graph, below the directory. Without `parts` it is one file; otherwise `.part1` and so on, joined. */
  weights: string
  parts: number
  /** SHA-256 in hex, by file: checked when the model is loaded. */
  hashes: Readonly<Record<string, string>>
  /** Of a text, or of both texts of a pair. */
  maxTokens: number
  /** Shorter texts are filled up to `maxTokens`, as the model was trained. */
  padded: boolean
  pooling: Pooling
  /** Of a tower for pictures; null for texts. */
  view: View | null
}

/** What a tower for pictures reads: each colour of a pixel, 0 to 255, times `scale`, less `mean`, through `deviation`. */
export interface View {
  width: number
  height: number
  scale: number
  mean: readonly number[]
  deviation: readonly number[]
}

/** A text, or a pair of texts read together. */
export type TextInput = readonly [string] | readonly [string, string]

export type Input = TextInput | Pixels

export interface ModelCalls {
  load: { ask: ModelSpec; answer: Failure | null }
  /** One row for each input: a vector, or logits. */
  run: { ask: { key: string; inputs: readonly Input[] }; answer: Float32Array[] | Failure }
}

/** `package`: onnxruntime-node cannot be imported. Messages of a run are left out: they may contain texts. */
export interface Failure {
  of: 'package' | 'load' | 'run'
  message: string
}
