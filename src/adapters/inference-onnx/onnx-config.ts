import type { Plane } from '../../model/unit.ts'

/** A model in a directory of the operator. */
export interface OnnxModel {
  kind: 'onnx'
  /** The part of its name after `onnx:`. */
  model: string
  directory: string
  /** The setting that names it, for error messages. */
  setting: string
}

/** Without `dims` the model determines their number; otherwise it must match. */
export type OnnxEmbedding = OnnxModel & { dims: number | null }

/** Planes that other adapters handle. */
type Elsewhere = { kind: 'builtin' | 'openai' | 'pinecone' | 'tei' }

export interface OnnxConfig {
  planes: Record<Plane, Elsewhere | OnnxEmbedding>
  rerank: Elsewhere | OnnxModel
  entailment: Elsewhere | OnnxModel
}
