import { Pinecone } from '@pinecone-database/pinecone'
import type { EmbeddingKind } from '../../ports/models/inference.ts'
import type { Reranker } from '../../ports/models/reranker.ts'
import type { Guard } from './calls/guard.ts'
import { bytesOfVectors, createVariants, throughSdk } from './calls/http.ts'
import { createEmbedder, type Embedder } from './models/embedder.ts'
import type { PineconeEndpoint } from './models/remote-config.ts'
import { createRemoteReranker } from './models/reranker.ts'

/** Pinecone Inference for one call; the guard retries. */
const pineconeInference = ({ apiKey, host }: PineconeEndpoint, fetch: typeof globalThis.fetch) =>
  new Pinecone({ apiKey, fetchApi: fetch, maxRetries: 0, ...(host === null ? {} : { controllerHostUrl: host }) })
    .inference

/** The limit of its embedding models per request. */
const embeddingBatch = 96

/** POST /embed of Pinecone Inference. */
export function createPineconeEmbedder(
  { endpoint, model, dims }: { endpoint: PineconeEndpoint; model: string; dims: number },
  guard: Guard,
): Embedder {
  const request = (texts: readonly string[], kind: EmbeddingKind, signal: AbortSignal) =>
    throughSdk(
      signal,
      async (fetch) => {
        const { data } = await pineconeInference(endpoint, fetch).embed({
          model,
          inputs: [...texts],
          parameters: { inputType: kind, truncate: 'END' },
        })
        return data.map((embedding) => ('values' in embedding ? embedding.values : undefined))
      },
      bytesOfVectors(embeddingBatch, dims),
    )
  return createEmbedder({ name: `pinecone:${model}`, dims, batch: embeddingBatch, guard, request })
}

/** The limit of its reranking models per request. */
const rerankingBatch = 100

/**
 * POST /rerank of Pinecone Inference. Most of its models refuse long texts unless a parameter truncates them; one model
 * lacks that parameter.
 */
export function createPineconeReranker(
  { endpoint, model }: { endpoint: PineconeEndpoint; model: string },
  guard: Guard,
): Reranker {
  const variants = createVariants<Record<string, string>>([{ truncate: 'END' }, {}])
  const request = (query: string, texts: readonly string[], signal: AbortSignal) =>
    variants((parameters) =>
      throughSdk(signal, async (fetch) => {
        const { data } = await pineconeInference(endpoint, fetch).rerank({
          model,
          query,
          documents: [...texts],
          topN: texts.length,
          returnDocuments: false,
          parameters,
        })
        return data.map(({ index, score }) => ({ index, score }))
      }),
    )
  return createRemoteReranker({ name: `pinecone:${model}`, batch: rerankingBatch, guard, request })
}
