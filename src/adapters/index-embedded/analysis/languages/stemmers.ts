import { stemmer as arabic } from '@orama/stemmers/arabic'
import { stemmer as dutch } from '@orama/stemmers/dutch'
import { stemmer as german } from '@orama/stemmers/german'
import { stemmer as greek } from '@orama/stemmers/greek'
import { stemmer as hungarian } from '@orama/stemmers/hungarian'
import { stemmer as hindi } from '@orama/stemmers/indian'
import { stemmer as indonesian } from '@orama/stemmers/indonesian'
import { stemmer as irish } from '@orama/stemmers/irish'
import { stemmer as italian } from '@orama/stemmers/italian'
import { stemmer as lithuanian } from '@orama/stemmers/lithuanian'
import { stemmer as norwegian } from '@orama/stemmers/norwegian'
import { stemmer as portuguese } from '@orama/stemmers/portuguese'
import { stemmer as romanian } from '@orama/stemmers/romanian'
import { stemmer as russian } from '@orama/stemmers/russian'
import { stemmer as spanish } from '@orama/stemmers/spanish'
import { stemmer as swedish } from '@orama/stemmers/swedish'
import { stemmer as turkish } from '@orama/stemmers/turkish'
import snowball from 'snowball-stemmers'

/** The stem of a word in lower case, marks included. */
export type Stemmer = (word: string) => string

/** The Snowball stemmers by ISO 639: https://snowballstem.org/algorithms. */
const stemmers: Readonly<Record<string, Stemmer>> = {
  ar: arabic,
  de: german,
  el: greek,
  es: spanish,
  ga: irish,
  hi: hindi,
  hu: hungarian,
  id: indonesian,
  it: italian,
  lt: lithuanian,
  nl: dutch,
  no: norwegian,
  pt: portuguese,
  ro: romanian,
  ru: russian,
  sv: swedish,
  tr: turkish,
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
  if (name === undefined) return stemmers[language] ?? null
  const stemmer = snowball.newStemmer(name)
  return (word) => stemmer.stem(word)
}
