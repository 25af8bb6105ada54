import type { Plane } from '../../../model/unit.ts'

/** The address of an API and its key. */
export interface Endpoint {
  /** Up to `/v1` or similar, without a trailing slash. */
  baseUrl: string
  apiKey: string | null
}

export type RemoteModel =
  | { kind: 'openai'; endpoint: Endpoint; model: string }
  | { kind: 'pinecone'; endpoint: PineconeEndpoint; model: string }

export interface PineconeEndpoint {
  /** Pinecone's own by default. */
  host: string | null
  apiKey: string
}

/** How a server of OpenAI's API takes a picture at POST /embeddings: each has a way of its own. */
export type PictureShape = 'jina' | 'vllm' | 'infinity'

/** `pictures`: the model also embeds pictures, which the server takes in this shape. */
export type RemoteEmbedding = RemoteModel & { dims: number; pictures?: PictureShape }
export type ChatModel = { kind: 'openai'; endpoint: Endpoint; model: string }
export type TeiModel = { kind: 'tei'; endpoint: Endpoint; model: string }

/** Planes that run on this machine. */
type Elsewhere = { kind: 'builtin' } | { kind: 'onnx' }

/** Which provider does what. Vectors have length 1, so cosine is the only metric. */
export interface RemoteConfig {
  planes: Record<Plane, Elsewhere | RemoteEmbedding>
  rerank: Elsewhere | RemoteModel
  answers: Elsewhere | ChatModel
  entailment: Elsewhere | TeiModel
  /** For one call of a provider, retries included, and for all calls of a search. */
  timeoutMs: number
  /** Concurrent requests to one address. */
  concurrency: number
}
