import type { Contest } from '../../../ports/indexes/index-filter.ts'
import type { Found, Leg } from './search.ts'
import type { Ranked } from './top-rows.ts'

/** Scores that differ by less may be the same once they are weighed: then ids decide. */
const clearly = 1e-6

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
    const keeps = (_: number, at: number) => at < count || !beats(leg, count - 1, at) || ranks.includes(at + 1)
    return Uint8Array.from(leg.rows, (row, at) => (keeps(row, at) || at + 1 === last ? 1 : 0))
  })
  const placeOf = new Map<number, number>()
  second?.rows.forEach((row, at) => {
    placeOf.set(row, at)
  })
  const both: [number, number][] = []
  for (let at = 0; second && at < first.rows.length; at++) {
    const other = placeOf.get(first.rows[at] ?? 0)
    if (other === undefined) continue
    const isBeaten = ([a, b]: [number, number]) => b < other && (beats(first, a, at) || beats(second, b, other))
    if (both.filter(isBeaten).length < count)
      for (const [leg, place] of [at, other].entries()) kept[leg]?.fill(1, place, place + 1)
    both.push([at, other])
  }
  return kept.map((keeps) => {
    const places = [...keeps.keys()].filter((at) => keeps[at] === 1)
    return places.length === keeps.length ? null : Uint32Array.from(places)
  })
}
