import type { TextAnalysis } from '../../../ports/indexes/text-analysis.ts'
import { analyse, analyseNames, charGrams } from './analyse.ts'
import { languageOfQuery, languageOfScript, languageOfText } from './detect-language.ts'
import { hasForm } from './find-passage.ts'
import { phraseFinder } from './find-phrases.ts'
import { stopWords } from './lexemes.ts'
import { stem } from './morphology.ts'

/** The analysis of the text index, for code that compares texts outside of it. */
export const textAnalysis: TextAnalysis = {
  words: (text) =>
    analyse(text).map(({ word, start, end }) => ({ word, term: stem(word), stop: stopWords.has(word), start, end })),
  names: (text) =>
    analyseNames(text).flatMap(({ kind, word, start, end }) =>
      kind === 'whole' ? [{ word, term: word, stop: false, start, end }] : [],
    ),
  letterRuns: charGrams,
  phrases: phraseFinder,
  forms: hasForm,
  language: (text, kind) => (kind === 'query' ? languageOfQuery : languageOfText)(text) ?? languageOfScript(text),
}
