import type { Visible } from '../shard/visible.ts'
import { inverseDocumentFrequency } from '../text/text-columns.ts'
import type { CountTerms, Term } from './query-legs.ts'
import { highestGain } from './score-terms.ts'

/** A word of the query, in how many visible rows it is, and its score there: on average, and at most. */
export interface Weighed {
  term: Term
  holding: number
  average: number
  highest: number
}

/** A word is counted once. */
export function weigh(term: Term, count: CountTerms): Weighed {
  const { name, field, weight, rarity } = term
  let holding = field.holding.get(name)
  if (holding === undefined) {
    let found = 0
    count([term], (_, { length }) => {
      found = length
    })
    remember(field.holding, name, found)
    holding = found
  }
  const average = weight * inverseDocumentFrequency(field.rows, rarity ?? holding)
  return { term, holding, average, highest: holding === 0 ? 0 : average * highestGain }
}

/**
 * By term, about how many visible rows hold it. A term is counted once.
 *
 * @param count counts the terms, and others that they need, in the sample
 */
export function sampleHolding(
  sample: Visible,
  terms: readonly Term[],
  count: (visit: Parameters<CountTerms>[1]) => void,
): number[] {
  const known = terms.map(({ name, field }) => field.sampled.get(name))
  if (!known.includes(undefined)) return known.map((held = 0) => held)
  const holding = new Map<Term, number>()
  count((term, { length }) => {
    const { name, field } = term
    const held = length * (field.rows / Math.max(1, sample.field(field.name).rows))
    holding.set(term, held)
    remember(field.sampled, name, held)
  })
  return terms.map((term) => holding.get(term) ?? 0)
}

const maxTerms = 10_000

function remember(held: Map<string, number>, name: string, count: number): void {
  if (held.size >= maxTerms) held.clear()
  held.set(name, count)
}
