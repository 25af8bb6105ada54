import type { Inference } from '../../ports/models/inference.ts'

/**
 * The inference of one search: each model embeds the query only once, for all planes and passes, and stops at the
 * signal, which begins with the first use of any.
 */
export function onePerModel(inference: Inference, begin: () => AbortSignal): Inference {
  let signal: AbortSignal | undefined
  const asked = new Map<string, ReturnType<Inference['embed']>>()
  return {
    ...inference,
    embed: (plane, texts, kind) => {
      const key = JSON.stringify([inference.model(plane).name, kind, texts])
      const known = asked.get(key)
      if (known !== undefined) return known
      signal ??= begin()
      const vectors = inference.embed(plane, texts, kind, signal)
      asked.set(key, vectors)
      return vectors
    },
  }
}
