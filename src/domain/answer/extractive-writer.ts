import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import type { AnswerWriter } from '../../ports/models/answer-writer.ts'
import type { Sentence } from './candidates.ts'
import { chainFor, sharesOf, tellsOf } from './chain.ts'
import { comparedIn, together } from './compared.ts'
import { completing } from './completing.ts'
import { distinctFacts } from './distinct-facts.ts'
import { evidenceOf } from './evidence.ts'
import { analyseQuestion } from './question.ts'
import { confidence, mayBeAbout } from './relevance.ts'
import { selectFor } from './select.ts'

const wholeShare = 0.97
/**
 * The least confidence for an answer. It keeps most answers, and withholds a third of those whose evidence is missing:
 * the figures are in `bench/RESULTS.md`.
 */
const defaultMinConfidence = 0.33

/** Answers with sentences of the passages, word for word; instructions in them are treated as plain text. */
export function createExtractiveWriter(analysis: TextAnalysis): AnswerWriter {
  return {
    model: 'extractive',
    write: async (question, passages, _signal, minConfidence = defaultMinConfidence) => {
      const linked = evidenceOf(analysis, passages)
      const found = linked.filter(({ passage }) => !passages[passage]?.followUp)
      const chosen = analyseQuestion(analysis, question).flatMap((part) => {
        const shares = sharesOf(part, linked)
        // What other questions found does not make this one answerable, unless it is about a thing that this one names.
        const [best, ...rest] = selectFor(part, found, minConfidence)
        const sides = comparedIn(analysis, question, part, linked, shares)
        const both = together(sides)
        const likelyOfBoth = both && mayBeAbout(part, both) ? confidence(part, both) : 0
        if (!best && (!both || likelyOfBoth < minConfidence)) return []
        // One passage that speaks of the whole question needs no others.
        const chain = best && tellsOf(part, shares, best) < wholeShare ? chainFor(part, linked, shares) : null
        const told = [...(best ? [best] : []), ...(chain?.sentences ?? []), ...sides]
        // The others only add to the best one.
        const likely = Math.max(best ? confidence(part, best) : 0, likelyOfBoth)
        return [...told, ...completing(part, linked, told, shares), ...rest].map((sentence) => ({
          ...sentence,
          confidence: likely,
        }))
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
