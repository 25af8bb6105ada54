import type { Term } from './query-terms.ts'

const k1 = 1.2
const b = 0.75

/** Counted only over the Units that the filter lets through. */
export interface Statistics {
  /** Units with a term. */
  units: number
  averageLength: number
}

/** A term, how many of the Units contain it, and its resulting worth. */
export interface Weighed extends Term {
  holding: number
  /** weight * ln(1 + (N - df + .5)/(df + .5)) */
  worth: number
}

export function weigh(term: Term, holding: number, { units }: Statistics): Weighed {
  return { ...term, holding, worth: term.weight * Math.log(1 + Math.max(0, units - holding + 0.5) / (holding + 0.5)) }
}

/** A Unit that contains some of the terms. `counts`: by a term's `q`, how often. */
export interface Matched {
  unitId: string
  length: number
  counts: ReadonlyMap<string, number>
}

/**
 * BM25 (Robertson & Zaragoza 2009, k1 = 1.2, b = .75) of words and pairs, in the order of `matched`:
 *
 *   sum of worth * tf * 2.2 / (tf + 1.2 * (.25 + .75 * dl/avgdl))
 *
 * `confidence`, 0..1: how well the best one matches: the score of its words, as a share of the score of a Unit of
 * average length that contains each word of the query as often as the query does.
 */
export function score(
  terms: readonly Weighed[],
  matched: readonly Matched[],
  statistics: Statistics,
): { scores: number[]; confidence: number } {
  const full = sum(terms.filter(({ kind }) => kind !== 'pair').map(({ worth }) => worth))
  let best = 0
  const scores = matched.map(({ length, counts }) => {
    let [words, pairs] = [0, 0]
    const shortness = k1 * (1 - b + (b * length) / statistics.averageLength)
    for (const term of terms) {
      const count = counts.get(term.q) ?? 0
      const gain = term.worth * ((count * (k1 + 1)) / (count + (term.kind === 'stop' ? k1 : shortness)))
      if (term.kind === 'pair') pairs += gain
      else words += gain
    }
    best = Math.max(best, words)
    return words + pairs
  })
  return { scores, confidence: full > 0 ? Math.min(1, best / full) : 0 }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
