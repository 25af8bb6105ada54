import type { Field } from '../text/field.ts'

/** Two stems as number + 1, and the positions of their single terms among the query's terms. */
export interface Pair {
  first: number
  second: number
  firstTerm: number
  secondTerm: number
}

/** A search term: any of some words, or a pair of stems that are adjacent except for stop words. */
export interface Term {
  /** Unique within its field. */
  name: string
  /** Words that count as the term, as often as they are listed; empty for a pair. */
  words: Uint32Array
  pair: Pair | null
  field: Field
  /** The leg's weight times how often the query contains the term. */
  weight: number
}

/** The visible rows that contain a term, and how often each does; the first `length` entries of both are valid. */
export interface Holding {
  rows: ArrayLike<number>
  counts: ArrayLike<number>
  length: number
}

/** Finds the visible rows of each term, in the terms' order. The values for `visit` are valid until the next term. */
export type CountTerms = (terms: readonly Term[], visit: (term: Term, holding: Holding) => void) => void
