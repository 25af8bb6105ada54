import type { OnnxEmbedding, OnnxModel } from '../adapters/inference-onnx/onnx-config.ts'
import type {
  ChatModel,
  RemoteEmbedding,
  RemoteModel,
  TeiModel,
} from '../adapters/inference-remote/models/remote-config.ts'
import { type Plane, planes } from '../model/unit.ts'

/** The provider of each task; `builtin` needs no model. */
export interface InferenceConfig {
  planes: Record<Plane, Builtin | EmbeddingConfig>
  /** The previous embedding model of all planes, or of some. */
  former: EmbeddingConfig | null
  rerank: Builtin | RemoteModel | OnnxModel
  answers: Builtin | ChatModel
  entailment: Builtin | TeiModel | OnnxModel
  /** The limit for one provider call, retries included, and for all calls of a search. */
  timeoutMs: number
  /** Maximum of concurrent requests to one address. */
  concurrency: number
}

export type EmbeddingConfig = RemoteEmbedding | OnnxEmbedding
type Builtin = { kind: 'builtin' }
/** The same providers with only one model, which embeds all planes. */
export function onlyEmbeddings(config: InferenceConfig, model: EmbeddingConfig): InferenceConfig {
  const none = { kind: 'builtin' } as const
  const each = { text: model, visual: model, audio: model, doc_visual: model }
  return { ...config, planes: each, former: null, rerank: none, answers: none, entailment: none }
}

/** Each model once, for the boot block, without addresses. */
export function describeInference({ planes: byPlane, rerank, answers, entailment }: InferenceConfig): string {
  const used = [...planes.map((plane) => byPlane[plane]), rerank, answers, entailment]
  const names = used.flatMap((entry) => (entry.kind === 'builtin' ? [] : [`${entry.kind}:${entry.model}`]))
  return names.length === 0 ? 'built in' : [...new Set(names)].join(', ')
}
