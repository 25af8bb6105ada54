import { batchesOf, mapBatches } from '../../../async/pieces.ts'
import { toUnitVector } from '../../../model/unit.ts'
import type { EmbeddingKind, EmbeddingModel } from '../../../ports/models/inference.ts'
import type { Picture } from '../../../ports/models/media-models.ts'
import { RemoteError } from '../../resilience/remote-error.ts'
import { type Guard, malformed } from '../calls/guard.ts'

/** One embedding model of a provider; its calls are those of the port. */
export interface Embedder {
  model: EmbeddingModel
  embed(texts: readonly string[], kind: EmbeddingKind, signal?: AbortSignal): Promise<(Float32Array | null)[]>
  embedImages?(
    pictures: readonly Picture[],
    kind: EmbeddingKind,
    signal?: AbortSignal,
  ): Promise<(Float32Array | null)[]>
}

export interface EmbedderOptions {
  name: string
  dims: number
  /** Maximum number of texts in one request. */
  batch: number
  guard: Guard
  request(
    texts: readonly string[],
    kind: EmbeddingKind,
    signal: AbortSignal,
  ): Promise<(readonly number[] | undefined)[]>
}

/** Concurrent batches of one call, so that other calls get their turn. */
const parallel = 4
/** No model reads more than about 8,000 tokens. UTF-16 units. */
const longestText = 32_000
/** A text that is refused even at this length is refused for another reason. */
const shortestCut = 200
const tooMuch: ReadonlySet<number | null> = new Set([400, 413, 422])

/**
 * Sends texts with letters or digits, in batches. A model's limit is not known in advance: if a batch is refused, each
 * half is tried; if a text is refused, its first half.
 */
export function createEmbedder({ name, dims, batch, guard, request }: EmbedderOptions): Embedder {
  async function embedBatch(texts: string[], kind: EmbeddingKind, signal?: AbortSignal): Promise<Float32Array[]> {
    try {
      return await guard.run(
        async (within) => unitVectors(await request(texts, kind, within), { count: texts.length, dims }),
        { signal, urgent: kind === 'query' },
      )
    } catch (error) {
      const smaller = tooMuchWas(error) ? halves(texts) : null
      if (smaller === null) throw error
      const parts: Float32Array[] = []
      for (const half of smaller) parts.push(...(await embedBatch(half, kind, signal)))
      return parts
    }
  }

  return {
    // Some models return fewer dimensions on request, and those vectors are not prefixes of the full ones.
    model: { name: `${name}@${dims}`, dims, builtin: false, fallback: false, atOnce: Number.POSITIVE_INFINITY },
    embed: async (texts, kind, signal) => {
      const sent = texts.filter(hasWords).map((text) => cut(text, longestText))
      const vectors = await mapBatches(batchesOf(sent, { maxItems: batch }), parallel, (part) =>
        embedBatch(part, kind, signal),
      )
      let next = 0
      return texts.map((text) => (hasWords(text) ? (vectors[next++] ?? null) : null))
    },
  }
}

const hasWords = (text: string) => /[\p{L}\p{N}]/u.test(text)

const tooMuchWas = (error: unknown) => error instanceof RemoteError && tooMuch.has(error.httpStatus)

/** Null if nothing smaller is left to try. */
function halves(texts: readonly string[]): string[][] | null {
  const middle = texts.length >> 1
  if (middle > 0) return [texts.slice(0, middle), texts.slice(middle)]
  const [text = ''] = texts
  return text.length <= shortestCut ? null : [[cut(text, text.length >> 1)]]
}

/** Does not leave half of a surrogate pair at the end. */
function cut(text: string, length: number): string {
  const isHead = (text.charCodeAt(length - 1) & 0xfc00) === 0xd800
  return text.slice(0, isHead ? length - 1 : length)
}

/** Vectors of an answer, checked and scaled to length 1. Throws for a wrong count, a wrong length or a bad norm. */
export function unitVectors(
  vectors: readonly (readonly number[] | undefined)[],
  { count, dims }: { count: number; dims: number },
): Float32Array[] {
  if (vectors.length !== count) throw malformed(`answered ${vectors.length} vectors instead of ${count}`)
  return vectors.map((vector) => {
    if (vector === undefined) throw malformed('answered with something that is not a vector')
    if (vector.length !== dims) throw malformed(`answered ${vector.length} dimensions instead of ${dims}`)
    if (!vector.every((value) => typeof value === 'number'))
      throw malformed('answered with something that is not a vector')
    const unit = toUnitVector(vector)
    if (unit === null) throw malformed('answered a vector that is zero or not finite')
    return unit
  })
}
