import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import type { AnswerWriter } from '../../ports/models/answer-writer.ts'
import type { Sentence } from './candidates.ts'
import { chainFor, sharesOf, tellsOf } from './chain.ts'
import { distinctFacts } from './distinct-facts.ts'
import { evidenceOf } from './evidence.ts'
import { analyseQuestion } from './question.ts'
import { confidence } from './relevance.ts'
import { selectFor } from './select.ts'

const wholeShare = 0.97

/** Answers with sentences of the passages, word for word; instructions in them are treated as plain text. */
export function createExtractiveWriter(analysis: TextAnalysis): AnswerWriter {
  return {
    model: 'extractive',
    write: async (question, passages, _signal, minConfidence) => {
      const linked = evidenceOf(analysis, passages)
      const found = linked.filter(({ passage }) => !passages[passage]?.followUp)
      const chosen = analyseQuestion(analysis, question).flatMap((part) => {
        // What other questions found does not make this one answerable.
        const [best, ...rest] = selectFor(part, found, minConfidence)
        if (!best) return []
        // One passage that speaks of the whole question needs no others.
        const shares = sharesOf(part, linked)
        const chain = tellsOf(part, shares, best) < wholeShare ? chainFor(part, linked, shares) : null
        // The others only add to the best one.
        const likely = confidence(part, best)
        return [best, ...(chain?.sentences ?? []), ...rest].map((sentence) => ({ ...sentence, confidence: likely }))
      })
      // One sentence may answer several parts, and documents repeat each other.
      return inReadingOrder(distinctFacts(analysis, chosen)).map(({ quote, passage, start, confidence }) => ({
        text: quote,
        sources: [{ passage, quote, start }],
        confidence,
      }))
    },
  }
}

/** Sentences of one passage stay together, in the order of the passage; passages stay in the chosen order. */
const inReadingOrder = <T extends Sentence>(chosen: readonly T[]): T[] =>
  Map.groupBy(chosen, ({ passage }) => passage)
    .values()
    .flatMap((sentences) => sentences.sort((a, b) => a.start - b.start))
    .toArray()
