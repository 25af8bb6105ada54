import type { TextAnalysis } from '../../../ports/indexes/text-analysis.ts'
import { analyse } from './analyse.ts'
import { charGrams } from './char-grams.ts'
import { stem } from './stem.ts'
import { stopWords } from './stop-words.ts'

/** The analysis of the text index, for code that compares texts outside of it. */
export const textAnalysis: TextAnalysis = {
  words: (text) =>
    analyse(text).map(({ word, start, end }) => ({ word, term: stem(word), stop: stopWords.has(word), start, end })),
  letterRuns: charGrams,
}
