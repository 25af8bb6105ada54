import type { Word } from '../../ports/indexes/text-analysis.ts'
import { likeness } from '../text/likeness.ts'
import { spokenForms } from '../text/spoken-numbers.ts'

/** The content of a passage, in the form that questions are compared with. */
export interface PassageView {
  /** The share of the question's words that text retrieval found in the passage, 0..1. */
  score: number
  /** How far that is above the average of the other passages. */
  ahead: number
  /** The terms of the passage that equal this one, or are a form or spelling of it. */
  formsOf(term: string): ReadonlySet<string>
  /** The same, or said in other words: `1998` as `nineteen ninety eight`, `nfl` letter by letter. */
  speaksOf(term: string): boolean
  /** Whether adjacent words have these initials. */
  abbreviates(acronym: string): boolean
  /** Whether two terms are adjacent, or one word apart. */
  joins(first: string, second: string): boolean
}

/** The initials of two adjacent words match too often by chance. */
const minAcronym = 3

export function viewOf(words: readonly Word[], score: number, ahead: number): PassageView {
  const vocabulary = new Set(words.map(({ term }) => term))
  const alike = likeness(vocabulary)
  const forms = new Map<string, ReadonlySet<string>>()
  const spoken = spokenOf(words)
  const initials = words.map(({ word }) => word[0]).join('')
  let together: Set<string> | null = null
  const view: PassageView = {
    score,
    ahead,
    formsOf: (term) => {
      const known =
        forms.get(term) ?? new Set([...alike(term), ...spokenForms(term).filter((form) => vocabulary.has(form))])
      forms.set(term, known)
      return known
    },
    speaksOf: (term) => view.formsOf(term).size > 0 || spellsOut(spoken, term),
    abbreviates: (acronym) => acronym.length >= minAcronym && initials.includes(acronym),
    joins: (first, second) => {
      together ??= neighbours(words)
      return together.has(`${first} ${second}`)
    },
  }
  return view
}

/** Pairs of content words up to one word apart, and adjacent words in reverse order. */
function neighbours(words: readonly Word[]): Set<string> {
  const content = words.filter(({ stop }) => !stop)
  const pairs = new Set<string>()
  for (const [i, { term }] of content.entries()) {
    const [next, second] = [content[i + 1]?.term, content[i + 2]?.term]
    if (next !== undefined) pairs.add(`${term} ${next}`).add(`${next} ${term}`)
    if (second !== undefined) pairs.add(`${term} ${second}`)
  }
  return pairs
}

export const spokenOf = (words: readonly Word[]): string => ` ${words.map(({ word }) => word).join(' ')} `

/** Whether words in a row spell out a number, or an acronym letter by letter. */
export const spellsOut = (spoken: string, term: string): boolean =>
  spokenForms(term).some((form) => spoken.includes(` ${form} `)) || spoken.includes(` ${[...term].join(' ')} `)
