import type { Plane } from '../../../model/unit.ts'

/** Where an API is, and the key that opens it. */
export interface Endpoint {
  /** Up to `/v1` or the like, without a slash at the end. */
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

export type RemoteEmbedding = RemoteModel & { dims: number }
export type ChatModel = { kind: 'openai'; endpoint: Endpoint; model: string }
export type TeiModel = { kind: 'tei'; endpoint: Endpoint; model: string }

/** What is done on this machine. */
type Elsewhere = { kind: 'builtin' } | { kind: 'onnx' }

/** Who does what. Vectors are of length 1, so cosine is the only metric. */
export interface RemoteConfig {
  planes: Record<Plane, Elsewhere | RemoteEmbedding>
  rerank: Elsewhere | RemoteModel
  answers: Elsewhere | ChatModel
  entailment: Elsewhere | TeiModel
  /** For one call of a provider, retries included, and for all calls of a search. */
  timeoutMs: number
  /** Requests to one address at a time. */
  concurrency: number
}
