import type { AnswerWriter } from '../../ports/answer-writer.ts'
import type { TextAnalysis } from '../../ports/text-analysis.ts'
import { quotable } from './candidates.ts'
import { analyseQuestion } from './question.ts'
import { selectFor } from './select.ts'

/** Answers in the sentences of the passages, word for word; instructions in them are text like any other. */
export function createExtractiveWriter(analysis: TextAnalysis): AnswerWriter {
  return {
    model: 'extractive',
    write: async (question, passages) => {
      const sentences = quotable(analysis, passages)
      const chosen = new Set(analyseQuestion(analysis, question).flatMap((part) => selectFor(part, sentences)))
      return [...chosen].map(({ quote, passage, start }) => ({ text: quote, sources: [{ passage, quote, start }] }))
    },
  }
}
