import type { Plane } from '../../model/unit.ts'

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

/** Who does what; `builtin` needs no provider. Vectors are of length 1, so cosine is the only metric. */
export interface InferenceConfig {
  planes: Record<Plane, { kind: 'builtin' } | (RemoteModel & { dims: number })>
  rerank: { kind: 'builtin' } | RemoteModel
  answers: { kind: 'builtin' } | { kind: 'openai'; endpoint: Endpoint; model: string }
  entailment: { kind: 'builtin' } | { kind: 'tei'; endpoint: Endpoint; model: string }
  /** For one call of a provider, retries included, and for all calls of a search. */
  timeoutMs: number
  /** Requests to one address at a time. */
  concurrency: number
}
