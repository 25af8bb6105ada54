import { createRequire } from 'node:module'
import type Snowball from 'snowball-stemmers'

/** The stem of a word in lower case, marks included. */
export type Stemmer = (word: string) => string

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
export function snowballStemmer(name: string): Stemmer {
  const library: typeof Snowball = require('snowball-stemmers')
  const stemmer = library.newStemmer(name)
  return (word) => stemmer.stem(word)
}
