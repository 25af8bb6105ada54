import type { Plane } from '../../model/unit.ts'

/** A model in a directory of the operator's. */
export interface OnnxModel {
  kind: 'onnx'
  /** What follows `onnx:` in its name. */
  model: string
  directory: string
  /** The setting that names it, for problems. */
  setting: string
}

/** Without `dims` the model says how many it has; with them it must agree. */
export type OnnxEmbedding = OnnxModel & { dims: number | null }

/** What others do. */
type Elsewhere = { kind: 'builtin' | 'openai' | 'pinecone' | 'tei' }

export interface OnnxConfig {
  planes: Record<Plane, Elsewhere | OnnxEmbedding>
  rerank: Elsewhere | OnnxModel
  entailment: Elsewhere | OnnxModel
}
