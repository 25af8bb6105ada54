import { fold } from './fold.ts'
import { stemmerOf } from './languages/stemmers.ts'

/** How the words of a language other than English are compared. */
export interface Morphology {
  /** ISO 639. */
  language: string
  /**
   * Marks distinguish words: folding them would make different words equal. Otherwise words take endings, and related
   * ones share letters more than stems.
   */
  keepsMarks: boolean
  /**
   * A word as written, in lower case: the marks that folding strips decide about the stem. Null for one of another script,
   * which is compared as in English texts, and for what is not one word: a character can stand for several.
   */
  written(word: string): string | null
  /** The stem of a word that `written` returned. */
  stem(written: string): string
}

/** Longer runs are identifiers, hashes and the like: they have no stem and would fill the cache. */
const longestStemmed = 64
const cacheLimit = 100_000

/** Each tone of a syllable is another word. */
const markedLanguages: ReadonlySet<string> = new Set(['vi'])

const known = new Map<string, Morphology | null>()

/**
 * Null for English, for an unknown language, and for one whose words are compared as they are. Words are then analysed
 * as English ones, which leaves those of other scripts unchanged.
 */
export function morphologyOf(language: string | null): Morphology | null {
  if (language === null || language === 'en') return null
  const found = known.get(language)
  if (found !== undefined) return found
  const made = make(language)
  known.set(language, made)
  return made
}

function make(language: string): Morphology | null {
  const script = new Intl.Locale(language).maximize().script ?? ''
  const stemmer = stemmerOf(language)
  if (stemmer === null && script !== 'Latn') return null
  const letters = new RegExp(`^(?=.*\\p{L})[\\p{Script=${script}}\\p{M}\\p{N}]+$`, 'u')
  const keepsMarks = markedLanguages.has(language)
  const lower = (word: string) =>
    word.normalize('NFKC').replaceAll('\u{ad}', '').toLocaleLowerCase(language).normalize('NFC')
  const spelled = (word: string) => {
    const written = word.length <= longestStemmed ? lower(word) : ''
    return letters.test(written) ? written : null
  }
  const stemmed = (written: string) => {
    const ending = stemmer?.(written) || written
    return keepsMarks ? ending : fold(ending).text
  }
  return {
    language,
    keepsMarks,
    written: cached(spelled),
    stem: cached(stemmed),
  }
}

function cached<T>(of: (word: string) => T): (word: string) => T {
  const known = new Map<string, T>()
  return (word) => {
    const found = known.get(word)
    if (found !== undefined) return found
    const made = of(word)
    // Cleared when full: vocabularies are small, so this is rare and cheaper than tracking use.
    if (known.size >= cacheLimit) known.clear()
    if (word.length <= longestStemmed) known.set(word, made)
    return made
  }
}
