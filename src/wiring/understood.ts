import type { TextAnalysis } from '../ports/indexes/text-analysis.ts'
import type { Inference } from '../ports/models/inference.ts'

/**
 * The same models; a text in a language that its model does not understand gets no vector. Such vectors compare letters: of a
 * model that learned English, all Arabic texts are near each other. Where the language is not clear, there is a vector.
 */
export function understood(inference: Inference, { language }: TextAnalysis): Inference {
  return {
    ...inference,
    embed: async (plane, texts, kind, signal) => {
      const known = inference.model(plane).cosines?.languages
      if (known === undefined) return inference.embed(plane, texts, kind, signal)
      const isUnderstood = texts.map((text) => {
        const found = language(text, kind === 'query' ? 'query' : 'text')
        return found === null || known.includes(found)
      })
      const some = texts.filter((_, i) => isUnderstood[i])
      const vectors = (some.length > 0 ? await inference.embed(plane, some, kind, signal) : []).values()
      return isUnderstood.map((is) => (is ? (vectors.next().value ?? null) : null))
    },
  }
}
