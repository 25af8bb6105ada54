import type { Statement } from '../../ports/answer-writer.ts'
import { sentences } from '../text/sentences.ts'

/** One statement for each sentence: beside a supported one, another would pass unseen. What only quotes stays whole. */
export const bySentence = (statements: readonly Statement[]): Statement[] =>
  statements.flatMap(({ text, sources }) =>
    sources.some(({ quote }) => quote === text)
      ? [{ text, sources }]
      : sentences(text).map(({ start, end }) => ({ text: text.slice(start, end), sources })),
  )
