import { createRequire } from 'node:module'
import type Snowball from 'snowball-stemmers'
import { longestWord } from './analyse.ts'
import { fold } from './fold.ts'

/** The stem of a word in lower case, marks included. */
type Stemmer = (word: string) => string

/** Loaded when a language comes up, in each thread: most services need one or two. */
const require = createRequire(import.meta.url)

/** The Snowball stemmers by ISO 639: https://snowballstem.org/algorithms. */
const stemmers: Readonly<Record<string, () => { stemmer: Stemmer }>> = {
  ar: () => require('@orama/stemmers/arabic'),
  de: () => require('@orama/stemmers/german'),
  el: () => require('@orama/stemmers/greek'),
  es: () => require('@orama/stemmers/spanish'),
  ga: () => require('@orama/stemmers/irish'),
  hi: () => require('@orama/stemmers/indian'),
  hu: () => require('@orama/stemmers/hungarian'),
  id: () => require('@orama/stemmers/indonesian'),
  it: () => require('@orama/stemmers/italian'),
  lt: () => require('@orama/stemmers/lithuanian'),
  nl: () => require('@orama/stemmers/dutch'),
  no: () => require('@orama/stemmers/norwegian'),
  pt: () => require('@orama/stemmers/portuguese'),
  ro: () => require('@orama/stemmers/romanian'),
  ru: () => require('@orama/stemmers/russian'),
  sv: () => require('@orama/stemmers/swedish'),
  tr: () => require('@orama/stemmers/turkish'),
}
/** Those that the first library lacks, or of which it has another version. This one takes two to ten times as long. */
const others: Readonly<Record<string, string>> = {
  ca: 'catalan',
  cs: 'czech',
  da: 'danish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  hy: 'armenian',
  sl: 'slovene',
  ta: 'tamil',
}

/** Null if there is none. */
export function stemmerOf(language: string): Stemmer | null {
  const name = others[language]
  return name === undefined ? (stemmers[language]?.().stemmer ?? null) : snowballStemmer(name)
}

/** The other library's, by its name for the language. */
function snowballStemmer(name: string): Stemmer {
  const library: typeof Snowball = require('snowball-stemmers')
  const stemmer = library.newStemmer(name)
  return (word) => stemmer.stem(word)
}

/** Porter2, the Snowball stemmer of English: https://snowballstem.org/algorithms/english/stemmer.html */
let porter2: Stemmer | undefined

const latin = /^[\p{Script=Latin}\p{N}]+$/u
const cacheLimit = 100_000

/** The stem of a folded word; a word of another script is its own stem, without the particles of Korean. */
export const stem = cached((word: string): string => {
  if (word.length > longestWord) return word
  if (hangul.test(word)) return withoutParticles(word)
  if (!latin.test(word)) return word
  porter2 ??= snowballStemmer('english')
  return porter2(word)
})

const hangul = /^[가-힣]{2,}$/
/** What follows a final consonant, or else a vowel. */
type After = 'consonant' | 'vowel' | 'any'
/**
 * Korean particles, written together with the noun before them (Sohn 1999, "The Korean Language", 8.2), the form that its last sound asks for, and
 * how many syllables must be left: nouns of one end like some of them.
 */
const particles: readonly (readonly [particle: string, after: After, left: number])[] = [
  ...(['에서', '에게', '한테', '께서', '까지', '부터', '처럼'] as const).map((one) => [one, 'any', 1] as const),
  ...[['으로', 'consonant', 1] as const, ['이랑', 'consonant', 1] as const],
  ...[['을', 'consonant', 1] as const, ['를', 'vowel', 1] as const],
  ...[['은', 'consonant', 1] as const, ['는', 'vowel', 1] as const],
  ...[['이', 'consonant', 2] as const, ['가', 'vowel', 2] as const],
  ...[['과', 'consonant', 2] as const, ['와', 'vowel', 2] as const],
  ...(['로', '의', '에', '도', '만'] as const).map((one) => [one, 'any', 2] as const),
]
/** `에서는` is two. */
const particlesOfWord = 2
const [firstSyllable, finals] = ['가'.charCodeAt(0), 28]

function withoutParticles(word: string): string {
  let rest = word
  for (let i = 0; i < particlesOfWord; i++) {
    const found = particles.find(([particle, after, left]) => {
      const length = rest.length - particle.length
      if (length < left || !rest.endsWith(particle)) return false
      const isClosed = (rest.charCodeAt(length - 1) - firstSyllable) % finals > 0
      return after === 'any' || isClosed === (after === 'consonant')
    })
    if (found === undefined) return rest
    rest = rest.slice(0, -found[0].length)
  }
  return rest
}

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

/** Each tone of a syllable is another word. */
const markedLanguages: ReadonlySet<string> = new Set(['vi'])

/** Languages whose words take several endings one after another. Their stemmers take off some of them at a time. */
const stackingLanguages: ReadonlySet<string> = new Set(['ar', 'eu', 'fi', 'hu', 'hy', 'id', 'ta', 'tr'])
/**
 * A vowel, alone or after a consonant: except for `su` (water), no Turkish noun is that short. The stemmer wrongly takes off the ends of `gemi`
 * (ship) and `deniz` (sea): `ge` and `de` (also) are left.
 */
const turkishRest = /^(?!su$)[^aeıioöuü]?[aeıioöuü]$/u

/** The stem of the stem, until it stays: the stemmer makes `araba` of Turkish `arabalar` (cars), and `arap` of `araba` itself. */
function stemOfStems(language: string, stemmer: Stemmer): Stemmer {
  return (written) => {
    for (let stem = written; ; ) {
      const next = stemmer(stem) || stem
      if (next === stem || (language === 'tr' && turkishRest.test(next))) return stem
      // Some change a letter, and would change it back.
      if (next.length === stem.length) return next
      stem = next
    }
  }
}

const known = cached(createMorphology)

/**
 * Null for English, for an unknown language, and for one whose words are compared as they are. Words are then analysed
 * as English ones, which leaves those of other scripts unchanged.
 */
export const morphologyOf = (language: string | null): Morphology | null =>
  language === null || language === 'en' ? null : known(language)

/** What no word has as it is read. */
const unseen = /[\u{ad}\u{640}\u{180e}\u{200b}-\u{200f}\u{2060}-\u{2064}\u{feff}]/gu

function createMorphology(language: string): Morphology | null {
  const script = new Intl.Locale(language).maximize().script ?? ''
  const single = stemmerOf(language)
  const stemmer = single && stackingLanguages.has(language) ? stemOfStems(language, single) : single
  if (stemmer === null && script !== 'Latn') return null
  const letters = new RegExp(`^(?=.*\\p{L})[\\p{Script=${script}}\\p{M}\\p{N}]+$`, 'u')
  const keepsMarks = markedLanguages.has(language)
  const lower = (word: string) =>
    word
      .normalize('NFKC')
      .replace(unseen, '')
      .replace(/[یک]/g, (letter) => fold(letter).text)
      .toLocaleLowerCase(language)
      .normalize('NFC')
  const spelled = (word: string) => {
    const written = word.length <= longestWord ? lower(word) : ''
    return letters.test(written) ? written : null
  }
  const stemmed = (written: string) => {
    const ending = stemmer?.(written) || written
    return keepsMarks ? ending : fold(ending).text
  }
  return { language, keepsMarks, written: cached(spelled), stem: cached(stemmed) }
}

function cached<T>(of: (word: string) => T): (word: string) => T {
  const known = new Map<string, T>()
  return (word) => {
    const found = known.get(word)
    if (found !== undefined) return found
    const result = of(word)
    // Cleared when full: vocabularies are small, so this is rare and cheaper than tracking use.
    if (known.size >= cacheLimit) known.clear()
    if (word.length <= longestWord) known.set(word, result)
    return result
  }
}
