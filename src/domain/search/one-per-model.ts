import type { Inference } from '../../ports/models/inference.ts'

/**
 * The inference of one search: each model embeds the query only once, for all planes and passes, and stops at the
 * signal.
 */
export function onePerModel(inference: Inference, signal: AbortSignal): Inference {
  const asked = new Map<string, ReturnType<Inference['embed']>>()
  return {
    ...inference,
    embed: (plane, texts, kind) => {
      const key = JSON.stringify([inference.model(plane).name, kind, texts])
      const vectors = asked.get(key) ?? inference.embed(plane, texts, kind, signal)
      asked.set(key, vectors)
      return vectors
    },
  }
}
