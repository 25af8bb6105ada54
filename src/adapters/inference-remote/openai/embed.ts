import { embedMany } from 'ai'
import { z } from 'zod'
import { batchesOf, mapBatches } from '../../../async/pieces.ts'
import type { Picture } from '../../../ports/models/media-models.ts'
import { RemoteError } from '../../resilience/remote-error.ts'
import { type Guard, malformed } from '../calls/guard.ts'
import { bytesOfVectors, postJson, throughSdk } from '../calls/http.ts'
import { createEmbedder, type Embedder, unitVectors } from '../models/embedder.ts'
import type { Endpoint, PictureShape } from '../models/remote-config.ts'
import { compatible, noteUsage } from './chat.ts'

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

/** Base64 makes it a third longer, and servers limit their requests. Bytes. */
const longestPicture = 15 * 2 ** 20
/** A picture is a request of its own: a server that refuses one still takes the others. */
const parallel = 2
/** Answers about one picture: it is too large, damaged, or of a type that the model does not read. */
const refusals: ReadonlySet<number | null> = new Set([400, 413, 415, 422])

const base64 = ({ bytes }: Picture) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
const dataUrl = (picture: Picture) => `data:${picture.mime};base64,${base64(picture)}`

const bodies: Readonly<Record<PictureShape, (picture: Picture) => object>> = {
  /** https://api.jina.ai/redoc: an object for each text or picture; a picture by its address or in base64. */
  jina: (picture) => ({ input: [{ image: base64(picture) }] }),
  /** https://docs.vllm.ai/en/latest/models/pooling_models/embed/: the messages of a chat. */
  vllm: (picture) => ({
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: dataUrl(picture) } }] }],
    encoding_format: 'float',
  }),
  /** https://michaelfeil.eu/infinity/: addresses in place of texts, and what they lead to. */
  infinity: (picture) => ({ input: [dataUrl(picture)], modality: 'image', encoding_format: 'float' }),
}

const answer = z.object({ data: z.array(z.object({ embedding: z.array(z.number()) })) })

/** POST /embeddings with a picture. */
function createImageEmbedder(
  {
    endpoint,
    model,
    dims,
    pictures: shape,
  }: { endpoint: Endpoint; model: string; dims: number; pictures: PictureShape },
  guard: Guard,
): NonNullable<Embedder['embedImages']> {
  const request = async (picture: Picture, signal: AbortSignal): Promise<Float32Array | null> => {
    const body = { model, ...bodies[shape](picture) }
    const { success, data } = answer.safeParse(
      await postJson(`${endpoint.baseUrl}/embeddings`, body, { apiKey: endpoint.apiKey, signal }),
    )
    if (!success) throw malformed('answered in no known shape')
    const vectors = data.data.map(({ embedding }) => embedding)
    return unitVectors(vectors, { count: 1, dims })[0] ?? null
  }
  return async (pictures, kind, signal) =>
    mapBatches(batchesOf(pictures, { maxItems: 1 }), parallel, async ([picture]) => {
      if (picture === undefined || picture.bytes.length > longestPicture) return [null]
      try {
        return [await guard.run((within) => request(picture, within), { signal, urgent: kind === 'query' })]
      } catch (error) {
        if (error instanceof RemoteError && refusals.has(error.httpStatus)) return [null]
        throw error
      }
    })
}
