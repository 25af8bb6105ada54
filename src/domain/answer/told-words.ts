import type { Evidence } from './evidence.ts'
import { relatedTo } from './related-words.ts'

/** How much a word tells that the passage is about, or another word for the same relation. */
const aboutIt = 0.8
const otherWord = 0.8

/** How much a sentence tells of a term, 0..1, and the word that does. */
export interface Told {
  share: number
  by: string
}

const nothing: Told = { share: 0, by: '' }

/** How sentences tell of terms, each computed once. */
export function remembered(): (one: Evidence, term: string) => Told {
  const known = new Map<Evidence, Map<string, Told>>()
  return (one, term) => {
    const of = known.get(one) ?? new Map<string, Told>()
    known.set(one, of)
    const told = of.get(term) ?? toldBy(one, term)
    of.set(term, told)
    return told
  }
}

function toldBy(one: Evidence, term: string): Told {
  if (one.speaksOf(term)) return { share: 1, by: term }
  if (one.subject.terms.has(term)) return { share: aboutIt, by: term }
  const by = relatedTo(term)
    .values()
    .find((other) => one.terms.has(other))
  return by === undefined ? nothing : { share: otherWord, by }
}
