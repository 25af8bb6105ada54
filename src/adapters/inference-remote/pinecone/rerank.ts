import type { Reranker } from '../../../ports/models/reranker.ts'
import type { Guard } from '../guard/guard.ts'
import { throughSdk } from '../http/through-sdk.ts'
import { createVariants } from '../http/variants.ts'
import type { PineconeEndpoint } from '../models/remote-config.ts'
import { createRemoteReranker } from '../models/reranker.ts'
import { pineconeInference } from './client.ts'

/** The limit of its reranking models per request. */
const batch = 100

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
  return createRemoteReranker({ name: `pinecone:${model}`, batch, guard, request })
}
