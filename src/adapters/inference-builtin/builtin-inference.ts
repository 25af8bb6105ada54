import type { Inference } from '../../ports/inference.ts'
import { embedText } from './embed-text.ts'

const model = { name: 'hashed-ngrams-512', dims: 512, builtin: true }

/** Embeds without weights or statistics: a text's vector depends on that text alone. One model for all planes. */
export function createBuiltinInference(): Inference {
  return {
    model: () => model,
    embed: async (_plane, texts) => texts.map((text) => embedText(text, model.dims)),
    ping: async () => {},
  }
}
