import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import type { AnswerWriter } from '../../ports/models/answer-writer.ts'
import { quotable, type Sentence } from './candidates.ts'
import { analyseQuestion } from './question.ts'
import { selectFor } from './select.ts'

/** Answers with sentences of the passages, word for word; instructions in them are treated as plain text. */
export function createExtractiveWriter(analysis: TextAnalysis): AnswerWriter {
  return {
    model: 'extractive',
    write: async (question, passages) => {
      const sentences = quotable(analysis, passages)
      const chosen = analyseQuestion(analysis, question).flatMap((part) => selectFor(part, sentences))
      // One sentence may answer several parts, and documents repeat each other.
      const distinct = new Map(chosen.map((sentence) => [sentence.quote, sentence]))
      return inReadingOrder([...distinct.values()]).map(({ quote, passage, start }) => ({
        text: quote,
        sources: [{ passage, quote, start }],
      }))
    },
  }
}

/** Sentences of one passage stay together, in the order of the passage; passages stay in the chosen order. */
const inReadingOrder = (chosen: readonly Sentence[]): Sentence[] =>
  Map.groupBy(chosen, ({ passage }) => passage)
    .values()
    .flatMap((sentences) => sentences.sort((a, b) => a.start - b.start))
    .toArray()
