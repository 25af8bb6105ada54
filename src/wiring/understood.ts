import { multilingualModel } from '../model/language.ts'
import type { Log } from '../model/log.ts'
import type { TextAnalysis } from '../ports/indexes/text-analysis.ts'
import type { EmbeddingKind, Inference } from '../ports/models/inference.ts'

/**
 * The same models; a text in a language that its model does not understand gets no vector. Such vectors compare letters: of a
 * model that learned English, all Arabic texts are near each other. Where the language is not clear, there is a vector.
 */
export function understood(inference: Inference, { language }: TextAnalysis, log: Log): Inference {
  const propose = createProposal(log)
  return {
    ...inference,
    embed: async (plane, texts, kind, signal) => {
      const known = inference.model(plane).cosines?.languages
      if (known === undefined) return inference.embed(plane, texts, kind, signal)
      const isUnderstood = texts.map((text) => {
        const found = language(text, kind === 'query' ? 'query' : 'text')
        return found === null || known.includes(found)
      })
      propose(kind, inference.model(plane).name, isUnderstood)
      const some = texts.filter((_, i) => isUnderstood[i])
      const vectors = (some.length > 0 ? await inference.embed(plane, some, kind, signal) : []).values()
      return isUnderstood.map((is) => (is ? (vectors.next().value ?? null) : null))
    },
  }
}

const enough = 100

/** Proposes a model for more languages, once, where more than a tenth of the queries or texts got no vector from this one. */
function createProposal(log: Log) {
  const counts = { query: { all: 0, foreign: 0 }, passage: { all: 0, foreign: 0 } }
  let isMade = false
  return (kind: EmbeddingKind, model: string, isUnderstood: readonly boolean[]) => {
    const count = counts[kind]
    count.all += isUnderstood.length
    count.foreign += isUnderstood.filter((is) => !is).length
    if (isMade || count.all < enough || count.foreign * 10 <= count.all) return
    isMade = true
    const what = kind === 'query' ? 'queries' : 'texts'
    log.info(
      { model, ...count },
      `more than a tenth of the ${what} are in languages that this model does not understand: ${multilingualModel}`,
    )
  }
}
