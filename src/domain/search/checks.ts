import { primaryLanguage } from '../../model/language.ts'
import type { SearchQuery } from '../../model/search.ts'
import { titledText } from '../../model/title.ts'
import type { Unit } from '../../model/unit.ts'
import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'
import type { Leg, RankingDeps } from './candidates.ts'
import { longestText } from './coverage.ts'
import type { Fused } from './fuse.ts'

/** What texts must have of what was found by letters, or from another language. */
export interface Checks {
  /** Those of the entries that are worth reading. */
  limited(entries: readonly Fused[]): readonly Fused[]
  passes(entry: Fused, unit: Unit): boolean
}

/**
 * Of those that only built-in vectors found, which come last, as many as the query wants may be hits, if they have
 * something in common with the query; none where the text leg already found all of these.
 */
export function checksOf(
  { analysis, texts }: RankingDeps,
  query: SearchQuery,
  legs: readonly Leg[],
  found: readonly Fused[],
): Checks {
  const { q, offset, topK } = query
  const sure = found.reduce((count, { check }) => count + (check === 'letters' ? 0 : 1), 0)
  const allFound = sure === found.length || (legs.some(isWholeText) && texts.findsLetters(q))
  const tests = {
    letters: allFound ? () => true : sharesLetters(analysis, q),
    language: inAnotherLanguage(analysis, query),
  }
  return {
    limited: (entries) => {
      if (sure === found.length && entries === found) return found
      let letters = allFound ? 0 : offset + topK
      return entries.filter(({ check }) => check !== 'letters' || letters-- > 0)
    },
    passes: ({ check }, unit) => check === null || tests[check](unit),
  }
}

const isWholeText = ({ kind, full }: Leg): boolean => kind === 'text' && !full

/** Whether a Unit is in another language than the query, as far as both are known: such texts are farther from it. */
function inAnotherLanguage(analysis: TextAnalysis, { q, language }: SearchQuery): (unit: Unit) => boolean {
  const asked = primaryLanguage(language ?? null) ?? analysis.language(q, 'query')
  return (unit) => {
    const own = primaryLanguage(unit.language) ?? analysis.language(titledText(unit).slice(0, longestText), 'text')
    return asked !== null && own !== null && own !== asked
  }
}

/**
 * Whether a Unit has a word in common with a query, or a run of letters of one: in scripts without spaces, also a query's
 * single letter. Only the beginning of a long text is read.
 */
function sharesLetters(analysis: TextAnalysis, q: string): (unit: Unit) => boolean {
  const words = analysis.words(q)
  const content = words.filter(({ stop }) => !stop)
  const signs = ({ word, term }: Word) => [`=${term}`, ...analysis.letterRuns(word)]
  const wanted = new Set((content.length > 0 ? content : words).flatMap(signs))
  /** Most words stand in several of the Units. */
  const known = new Map<string, boolean>()
  const isShared = (word: Word): boolean => {
    const before = known.get(word.word)
    if (before !== undefined) return before
    const found = [...signs(word), ...word.word].some((sign) => wanted.has(sign))
    known.set(word.word, found)
    return found
  }
  return (unit) => analysis.words(titledText(unit).slice(0, longestText)).some(isShared)
}
