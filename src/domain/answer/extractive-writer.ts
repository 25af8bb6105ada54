import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import type { AnswerWriter } from '../../ports/models/answer-writer.ts'
import type { Sentence } from './candidates.ts'
import { chainFor, sharesOf, tellsOf } from './chain.ts'
import { comparedIn } from './compared.ts'
import { completing } from './completing.ts'
import { distinctFacts } from './distinct-facts.ts'
import { type Evidence, evidenceOf } from './evidence.ts'
import { withoutNames } from './missing-names.ts'
import { analyseQuestion, type SubQuestion } from './question.ts'
import { confidence, mayBeAbout } from './relevance.ts'
import { selectFor } from './select.ts'
import { together } from './together.ts'
import { bestTrail } from './trails.ts'

const wholeShare = 0.97
/** A trail that tells less of the question leads elsewhere. */
const minTold = 0.6
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
      const chosen = analyseQuestion(analysis, question).flatMap((part) =>
        sentencesFor(analysis, question, part, { linked, found, minConfidence }),
      )
      // One sentence may answer several parts, and documents repeat each other.
      return inReadingOrder(distinctFacts(analysis, chosen)).map(({ quote, passage, start, confidence }) => ({
        text: quote,
        sources: [{ passage, quote, start }],
        confidence,
      }))
    },
  }
}

interface From {
  linked: readonly Evidence[]
  /** Those that the question's own search found. */
  found: readonly Evidence[]
  minConfidence: number
}

/** The sentences that answer a part of the question, each with the confidence of all; none below the least confidence. */
function sentencesFor(analysis: TextAnalysis, question: string, part: SubQuestion, from: From) {
  const { linked, found, minConfidence } = from
  const shares = sharesOf(part, linked)
  // What other questions found does not make this one answerable, unless it is about a thing that this one names.
  const [best, ...rest] = selectFor(part, found, minConfidence)
  const sides = comparedIn(analysis, question, part, linked, shares)
  const trail = bestTrail(analysis, part, linked)
  const walked = trail && trail.told >= minTold ? trail.sentences : []
  const likely = Math.max(
    best ? confidence(part, best) : 0,
    ofAll(part, sides),
    // From a passage that only has the name, a trail leads to what is said beside it.
    trail?.isAbout ? ofAll(part, walked) : 0,
  )
  if (likely < minConfidence) return []
  // One passage that speaks of the whole question needs no others.
  const chain = best && tellsOf(part, shares, best) < wholeShare ? chainFor(part, linked, shares) : null
  const told = [...(best ? [best] : []), ...(chain?.sentences ?? []), ...walked, ...sides]
  const confident = withoutNames(analysis, part, told, likely)
  if (confident < minConfidence) return []
  return [...told, ...completing(part, linked, told, shares), ...rest].map((sentence) => ({
    ...sentence,
    confidence: confident,
  }))
}

/** The probability that sentences of several passages answer together. */
function ofAll(part: SubQuestion, sentences: readonly Evidence[]): number {
  const all = together(sentences)
  return all && mayBeAbout(part, all) ? confidence(part, all) : 0
}

/** Sentences of one passage stay together, in the order of the passage; passages stay in the chosen order. */
const inReadingOrder = <T extends Sentence>(chosen: readonly T[]): T[] =>
  Map.groupBy(chosen, ({ passage }) => passage)
    .values()
    .flatMap((sentences) => sentences.sort((a, b) => a.start - b.start))
    .toArray()
