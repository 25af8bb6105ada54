import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import type { Passage, Statement } from '../../ports/models/answer-writer.ts'
import { quotable } from './candidates.ts'
import { analyseQuestion } from './question.ts'
import { confidence } from './relevance.ts'

/**
 * The probability that statements answer the question, 0..1; null without statements. From the writer where it says one:
 * the mean over what it answers. Otherwise from the cited sentences: for each part of the question that of the best one.
 */
export function confidenceOf(
  analysis: TextAnalysis,
  question: string,
  passages: readonly Passage[],
  statements: readonly Statement[],
): number | null {
  if (statements.length === 0) return null
  const said = statements.flatMap(({ confidence }) => confidence ?? [])
  if (said.length === statements.length) return mean(said)
  const sources = statements.flatMap((statement) => statement.sources)
  const used = new Set(sources.map(({ passage }) => passage))
  const cited = quotable(analysis, passages, used).filter(({ passage, start, quote }) =>
    sources.some(
      (source) =>
        source.passage === passage && source.start < start + quote.length && start < source.start + source.quote.length,
    ),
  )
  if (cited.length === 0) return 0
  return mean(
    analyseQuestion(analysis, question).map((part) => Math.max(...cited.map((sentence) => confidence(part, sentence)))),
  )
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
