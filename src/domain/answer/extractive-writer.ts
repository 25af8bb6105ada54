import type { AnswerWriter } from '../../ports/answer-writer.ts'
import type { TextAnalysis } from '../../ports/text-analysis.ts'
import { quotable, type Sentence } from './candidates.ts'
import { analyseQuestion } from './question.ts'
import { selectFor } from './select.ts'

/** Answers in the sentences of the passages, word for word; instructions in them are text like any other. */
export function createExtractiveWriter(analysis: TextAnalysis): AnswerWriter {
  return {
    model: 'extractive',
    write: async (question, passages) => {
      const sentences = quotable(analysis, passages)
      const chosen = analyseQuestion(analysis, question).flatMap((part) => selectFor(part, sentences))
      // Parts may be answered by the same sentence, and documents repeat each other.
      const distinct = new Map(chosen.map((sentence) => [sentence.quote, sentence]))
      return inReadingOrder([...distinct.values()]).map(({ quote, passage, start }) => ({
        text: quote,
        sources: [{ passage, quote, start }],
      }))
    },
  }
}

/** Sentences of one passage stand together, as they do there; the passages as they were chosen. */
const inReadingOrder = (chosen: readonly Sentence[]): Sentence[] =>
  Map.groupBy(chosen, ({ passage }) => passage)
    .values()
    .flatMap((sentences) => sentences.sort((a, b) => a.start - b.start))
    .toArray()
