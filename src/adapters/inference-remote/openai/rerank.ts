import { z } from 'zod'
import type { Reranker } from '../../../ports/models/reranker.ts'
import { type Guard, malformed } from '../calls/guard.ts'
import { addressesOf, createVariants, postJson } from '../calls/http.ts'
import type { Endpoint } from '../models/remote-config.ts'
import { createRemoteReranker } from '../models/reranker.ts'

/** The default limit of the Text Embeddings Inference server. */
const batch = 32

/** The format of Cohere, Jina and vLLM. */
const cohere = z.object({ results: z.array(z.object({ index: z.int(), relevance_score: z.number() })) })
/** The format of Text Embeddings Inference. */
const tei = z.array(z.object({ index: z.int(), score: z.number() }))

/**
 * POST /rerank, below the base address or, on some servers, next to its `/v1`. Cohere, Jina and vLLM take `documents`,
 * Text Embeddings Inference takes `texts`.
 */
export function createHttpReranker({ endpoint, model }: { endpoint: Endpoint; model: string }, guard: Guard): Reranker {
  const { apiKey, baseUrl } = endpoint
  const variants = createVariants(
    addressesOf(baseUrl, '/rerank').flatMap((url) =>
      (['documents', 'texts'] as const).map((field) => ({ url, field })),
    ),
  )
  const bodies = {
    documents: (query: string, documents: readonly string[]) => ({ model, query, documents, top_n: documents.length }),
    texts: (query: string, texts: readonly string[]) => ({ query, texts, truncate: true }),
  }
  const request = async (query: string, texts: readonly string[], signal: AbortSignal) =>
    readScores(await variants(({ url, field }) => postJson(url, bodies[field](query, texts), { apiKey, signal })))
  return createRemoteReranker({ name: `openai:${model}`, batch, guard, request })
}

function readScores(body: unknown): { index: number; score: number }[] {
  const list = tei.safeParse(body)
  if (list.success) return list.data
  const wrapped = cohere.safeParse(body)
  if (!wrapped.success) throw malformed('answered no known ranking')
  return wrapped.data.results.map(({ index, relevance_score }) => ({ index, score: relevance_score }))
}
