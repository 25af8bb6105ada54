import { titledText } from '../../model/title.ts'
import type { Unit } from '../../model/unit.ts'
import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'

/** Texts may be a megabyte long. UTF-16 units. */
const longestText = 4_000

/**
 * Whether a Unit has a word in common with a query, or a run of letters of one: in scripts without spaces, also a query's
 * single letter. Only the beginning of a long text is read.
 */
export function sharesLetters(analysis: TextAnalysis, q: string): (unit: Unit) => boolean {
  const words = analysis.words(q)
  const content = words.filter(({ stop }) => !stop)
  const signs = ({ word, term }: Word) => [`=${term}`, ...analysis.letterRuns(word)]
  const asked = new Set((content.length > 0 ? content : words).flatMap(signs))
  /** Most words stand in several of the Units. */
  const known = new Map<string, boolean>()
  const isShared = (word: Word): boolean => {
    const before = known.get(word.word)
    if (before !== undefined) return before
    const found = [...signs(word), ...word.word].some((sign) => asked.has(sign))
    known.set(word.word, found)
    return found
  }
  return (unit) => analysis.words(titledText(unit).slice(0, longestText)).some(isShared)
}
