import { cardinalOf } from '../text/cardinals.ts'
import type { Sentence } from './candidates.ts'
import type { Expected, SubQuestion } from './question.ts'

const letters = /\p{L}+/gu
const amounts =
  /\p{N}|\b(?:hundreds?|thousands?|millions?|billions?|dozens?|half|twice|once|daily|weekly|monthly|yearly|annually|hourly|every|each|several|few|many|all|none|no|percent|single|double|pair|couple)\b/iu
const dates =
  /\b\p{Nd}{1,2}[:.h]\p{Nd}{2}\b|\b(?:1\p{Nd}|20)\p{Nd}{2}\b|\p{Nd}\s?(?:[ap]\.?m\b|o['’]clock|[年月日時分])|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|noon|midnight|morning|evening)\b/iu
/** Words that may say when something is: a date, a part of a day or year, or a simultaneous event. */
const times =
  /\p{N}|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|november|december|century|centuries|years?|months?|weeks?|days?|hours?|nights?|noon|midnight|mornings?|afternoons?|evenings?|dawn|dusk|sunrise|sunset|spring|summer|autumn|fall|winter|today|yesterday|tomorrow|when|after|before|during|until|while|since|once|era|age)\b/iu

const looks: Record<Expected, (text: string) => boolean> = {
  number: (text) => amounts.test(text) || spellsNumber(text),
  time: (text) => dates.test(text),
  reason: (text) =>
    /, so\b|\b(?:because|since|due to|owing to|caused|causes?|as a result|therefore|so that|in order to|led to|reasons?)\b/iu.test(
      text,
    ),
  name: (text) => /[^.!?]\s\p{Lu}/u.test(text),
}

const spellsNumber = (text: string) =>
  (text.toLowerCase().match(letters) ?? []).some((word) => cardinalOf(word) !== null)

/** Whether the sentence contains the kind of thing that the question asks for. */
export const fits = ({ expects }: SubQuestion, { quote }: Sentence): boolean =>
  expects !== null && looks[expects](quote)

/**
 * Whether the sentence can contain the expected kind. A number or a time must be in the sentence or a neighbour. A
 * reason may be given without a word for it, and a name without capitals.
 */
export function mayHold({ expects }: SubQuestion, { context }: Sentence): boolean {
  if (expects === 'number') return looks.number(context)
  return expects !== 'time' || times.test(context) || spellsNumber(context)
}
