import type { Field } from '../text/field.ts'

/** Two stems as number + 1, and where among the query's terms they stand on their own. */
export interface Pair {
  first: number
  second: number
  firstTerm: number
  secondTerm: number
}

/** What rows are searched for: any of some words, or a pair of stems, one after the other with only stop words between. */
export interface Term {
  /** Words that count as the term, as often as they are listed; empty for a pair. */
  words: Uint32Array
  pair: Pair | null
  field: Field
  /** The leg's weight times how often the query says the term. */
  weight: number
}

/** The visible rows that hold a term, and how often each does; the first `length` of both count. */
export interface Holding {
  rows: ArrayLike<number>
  counts: ArrayLike<number>
  length: number
}

/** Finds the visible rows of each term, in the terms' order. What `visit` is given holds until the next term. */
export type CountTerms = (terms: readonly Term[], visit: (term: Term, holding: Holding) => void) => void
