import type { Statement } from '../../ports/answer-writer.ts'
import { sentences } from '../text/sentences.ts'

/** One statement for each sentence: beside a supported one, another would pass unseen. What only quotes stays whole. */
export const bySentence = (statements: readonly Statement[]): Statement[] =>
  statements.flatMap((statement) => {
    const { text, sources } = statement
    const spans = sentences(text)
    // A statement without a sentence is removed, and counted, like any other that says nothing.
    if (spans.length === 0 || sources.some(({ quote }) => quote === text)) return [statement]
    return spans.map(({ start, end }) => ({ text: text.slice(start, end), sources }))
  })
