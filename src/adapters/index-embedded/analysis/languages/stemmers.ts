import { stemmer as greek } from '@orama/stemmers/greek'
import { stemmer as hindi } from '@orama/stemmers/indian'
import { stemmer as indonesian } from '@orama/stemmers/indonesian'
import { stemmer as lithuanian } from '@orama/stemmers/lithuanian'
import snowball from 'snowball-stemmers'

/** The stem of a word in lower case, marks included. */
export type Stemmer = (word: string) => string

/** The Snowball stemmers by ISO 639: https://snowballstem.org/algorithms. */
const names: Readonly<Record<string, string>> = {
  ar: 'arabic',
  ca: 'catalan',
  cs: 'czech',
  da: 'danish',
  de: 'german',
  es: 'spanish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hu: 'hungarian',
  hy: 'armenian',
  it: 'italian',
  nl: 'dutch',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sl: 'slovene',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
}
/** Those that the first library does not have. */
const others: Readonly<Record<string, Stemmer>> = { el: greek, hi: hindi, id: indonesian, lt: lithuanian }

/** Null if there is none. */
export function stemmerOf(language: string): Stemmer | null {
  const name = names[language]
  if (name === undefined) return others[language] ?? null
  const stemmer = snowball.newStemmer(name)
  return (word) => stemmer.stem(word)
}
