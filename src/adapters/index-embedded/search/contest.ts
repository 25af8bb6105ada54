import type { Contest } from '../../../ports/indexes/index-filter.ts'
import type { Found, Leg } from './search.ts'
import type { Ranked } from './top-rows.ts'

/** Scores that differ by less may be the same once they are weighed: then ids decide. */
const clearly = 1e-6
/** The place of a row that a leg does not have. */
const nowhere = 2 ** 32 - 1

/** Leaves out what cannot be among the first of a search. Its queries come in one message, which is read in one turn. */
export class Contests {
  readonly #begun = new Map<Contest, { leg: Leg; answer(found: Found): void }>()

  enter(contest: Contest | undefined, leg: Leg): Found | Promise<Found> {
    if (contest?.queries === 1) return leg.found(contenders(contest, leg.ranked)[0] ?? null)
    if (contest?.queries !== 2) return leg.found(null)
    const other = this.#begun.get(contest)
    if (other === undefined) {
      const { promise, resolve: answer } = Promise.withResolvers<Found>()
      this.#begun.set(contest, { leg, answer })
      queueMicrotask(() => {
        if (this.#begun.delete(contest)) answer(leg.found(null))
      })
      return promise
    }
    this.#begun.delete(contest)
    const [ofOther = null, own = null] = contenders(contest, other.leg.ranked, leg.ranked)
    other.answer(other.leg.found(ofOther))
    // Later, as the other one: both go in one message.
    return Promise.resolve(leg.found(own))
  }
}

/**
 * By leg, the places of the candidates that fewer than `count` others beat, ascending, and at the `ranks`; null for
 * all. One beats another if no leg has it later, and one has it before by a clear difference.
 */
export function contenders({ count, ranks }: Contest, first: Ranked, second?: Ranked): (Uint32Array | null)[] {
  const beats = ({ scores }: Ranked, a: number, b: number) => (scores[a] ?? 0) - (scores[b] ?? 0) > clearly
  const legs = second ? [first, second] : [first]
  const kept = legs.map((leg) => {
    const last = leg.rows.length
    const keeps = (at: number) => at < count || !beats(leg, count - 1, at) || ranks.includes(at + 1) || at + 1 === last
    return leg.rows.map((_, at) => (keeps(at) ? 1 : 0))
  })
  const placeOf = new Map<number, number>()
  second?.rows.forEach((row, at) => {
    placeOf.set(row, at)
  })
  const others = first.rows.map((row) => placeOf.get(row) ?? nowhere)
  for (let at = 0; second && at < others.length; at++) {
    const other = others[at] ?? nowhere
    if (other === nowhere) continue
    let better = 0
    for (let a = 0; a < at && better < count; a++) {
      const b = others[a] ?? nowhere
      if (b < other && (beats(first, a, at) || beats(second, b, other))) better++
    }
    if (better < count) for (const [leg, place] of [at, other].entries()) kept[leg]?.fill(1, place, place + 1)
  }
  return kept.map((keeps) => (keeps.includes(0) ? keeps.map((_, at) => at).filter((at) => keeps[at] === 1) : null))
}
