import { embedMany } from 'ai'
import type { Guard } from '../calls/guard.ts'
import { bytesOfVectors, throughSdk } from '../calls/http.ts'
import { createEmbedder, type Embedder } from '../models/embedder.ts'
import type { Endpoint, PictureShape } from '../models/remote-config.ts'
import { compatible, noteUsage } from './compatible.ts'
import { createImageEmbedder } from './embed-images.ts'

/** The default limit of the Text Embeddings Inference server; OpenAI takes 2,048. */
const batch = 32

/** POST /embeddings of an OpenAI-compatible server; with `pictures`, its model also embeds pictures. */
export function createOpenAiEmbedder(
  { endpoint, model, dims, pictures }: { endpoint: Endpoint; model: string; dims: number; pictures?: PictureShape },
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
  const texts = createEmbedder({ name: `openai:${model}`, dims, batch, guard, request })
  if (pictures === undefined) return texts
  const embedImages = createImageEmbedder({ endpoint, model, dims, pictures }, guard)
  return { ...texts, model: { ...texts.model, images: true }, embedImages }
}
