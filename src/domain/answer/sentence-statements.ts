import type { Statement } from '../../ports/models/answer-writer.ts'
import { sentences } from '../text/sentences.ts'

/** Makes one statement of each sentence: a supported one could hide an unsupported one. Pure quotes stay whole. */
export const bySentence = (statements: readonly Statement[]): Statement[] =>
  statements.flatMap((statement) => {
    const { text, sources } = statement
    const spans = sentences(text)
    // A statement without a sentence is removed and counted, like any other empty one.
    if (spans.length === 0 || sources.some(({ quote }) => quote === text)) return [statement]
    return spans.map(({ start, end }) => ({ text: text.slice(start, end), sources }))
  })
