import { embedMany } from 'ai'
import type { Guard } from '../calls/guard.ts'
import { bytesOfVectors, throughSdk } from '../calls/http.ts'
import { createEmbedder, type Embedder } from '../models/embedder.ts'
import type { Endpoint } from '../models/remote-config.ts'
import { compatible, noteUsage } from './compatible.ts'

/** The default limit of the Text Embeddings Inference server; OpenAI takes 2,048. */
const batch = 32

/** POST /embeddings of an OpenAI-compatible server. */
export function createOpenAiEmbedder(
  { endpoint, model, dims }: { endpoint: Endpoint; model: string; dims: number },
  guard: Guard,
): Embedder {
  const request = (texts: readonly string[], _kind: unknown, signal: AbortSignal) =>
    throughSdk(
      signal,
      async (fetch) => {
        const { embeddings, usage } = await embedMany({
          model: compatible(endpoint, fetch).embeddingModel(model),
          values: [...texts],
          maxRetries: 0,
          abortSignal: signal,
        })
        noteUsage({ input: usage.tokens || undefined })
        return embeddings
      },
      bytesOfVectors(batch, dims),
    )
  return createEmbedder({ name: `openai:${model}`, dims, batch, guard, request })
}
