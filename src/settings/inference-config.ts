import type { OnnxEmbedding, OnnxModel } from '../adapters/inference-onnx/onnx-models.ts'
import type { MediaConfig } from '../adapters/inference-remote/media-models.ts'
import type {
  ChatModel,
  RemoteEmbedding,
  RemoteModel,
  TeiModel,
} from '../adapters/inference-remote/models/remote-config.ts'
import { type Plane, planes } from '../model/unit.ts'
import { isThere, type LocalOcr } from './media.ts'

/** The provider of each task; `builtin` needs no model. */
export interface InferenceConfig {
  planes: Record<Plane, Builtin | EmbeddingConfig>
  /** The previous embedding model of all planes, or of some. */
  former: EmbeddingConfig | null
  rerank: Builtin | RemoteModel | OnnxModel
  answers: Builtin | ChatModel
  entailment: Builtin | TeiModel | OnnxModel
  /** Models that read pictures and recordings; null where none is configured. */
  media: MediaConfig
  /** Reads the text in pictures where no remote model does, and it is there; null where it is not wanted. */
  localOcr: LocalOcr | null
  /** Weights of vectors in the fusion, by model; without one the default applies. */
  vectorWeights: ReadonlyMap<string, number>
  /** The limit for one provider call, retries included, and for all calls of a search. */
  timeoutMs: number
  /** Maximum of concurrent requests to one address. */
  concurrency: number
}

export type EmbeddingConfig = RemoteEmbedding | OnnxEmbedding
type Builtin = { kind: 'builtin' }
const noMedia: MediaConfig = { ocr: null, caption: null, transcribe: null }

/** The same providers with only one model, which embeds all planes. */
export function onlyEmbeddings(config: InferenceConfig, model: EmbeddingConfig): InferenceConfig {
  const none = { kind: 'builtin' } as const
  const each = { text: model, visual: model, audio: model, doc_visual: model }
  return {
    ...config,
    planes: each,
    former: null,
    rerank: none,
    answers: none,
    entailment: none,
    media: noMedia,
    localOcr: null,
  }
}

/** Each model once, for the boot block, without addresses. */
export function describeInference(config: InferenceConfig): string {
  const { planes: byPlane, rerank, answers, entailment, media, localOcr } = config
  const ocr = localOcr && isThere(localOcr) ? localOcr : null
  const readers = [...Object.values(media), ocr].filter((model) => model !== null)
  const used = [...planes.map((plane) => byPlane[plane]), rerank, answers, entailment, ...readers]
  const names = used.flatMap((entry) =>
    entry.kind === 'builtin'
      ? []
      : [entry.kind === 'onnx' && entry.directory === null ? entry.model : `${entry.kind}:${entry.model}`],
  )
  return names.length === 0 ? 'built in' : [...new Set(names)].join(', ')
}
