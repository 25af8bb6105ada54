import type { EmbeddingKind } from '../../../ports/models/inference.ts'
import type { Guard } from '../guard/guard.ts'
import { bytesOfVectors } from '../http/bounded-fetch.ts'
import { throughSdk } from '../http/through-sdk.ts'
import { createEmbedder, type Embedder } from '../models/embedder.ts'
import type { PineconeEndpoint } from '../models/remote-config.ts'
import { pineconeInference } from './client.ts'

/** The limit of its embedding models per request. */
const batch = 96

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
      bytesOfVectors(batch, dims),
    )
  return createEmbedder({ name: `pinecone:${model}`, dims, batch, guard, request })
}
