import type { Inference } from '../../ports/models/inference.ts'
import { embedText } from './embed-text.ts'

export const builtinModel = {
  name: 'hashed-ngrams-512',
  dims: 512,
  builtin: true,
  fallback: true,
  atOnce: Number.POSITIVE_INFINITY,
}

/** Embeds a text outside this thread. */
export type EmbedElsewhere = (text: string) => Promise<Float32Array | null>

/** Longer texts would block the thread. UTF-16 units of all texts of a call together. */
const shortText = 4_096

/**
 * Embeds without weights or statistics: a text's vector depends only on that text. One model for all planes. Without
 * `elsewhere`, long texts are also embedded in this thread.
 */
export function createBuiltinInference(elsewhere?: EmbedElsewhere): Inference {
  const here = async (text: string) => embedText(text, builtinModel.dims)
  return {
    model: () => builtinModel,
    embed: async (_plane, texts) => {
      const length = texts.reduce((sum, text) => sum + text.length, 0)
      const embed = length > shortText ? (elsewhere ?? here) : here
      const vectors: (Float32Array | null)[] = []
      // One after another: a batch must not queue up ahead of the texts of other calls.
      for (const text of texts) vectors.push(await embed(text))
      return vectors
    },
    ping: async () => {},
  }
}
