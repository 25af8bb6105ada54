import { describe, expect, it } from 'vitest'
import { contenders } from '../../src/adapters/index-embedded/search/contest.ts'
import type { Leg } from '../../src/domain/search/candidates.ts'
import { contestFor, fuse } from '../../src/domain/search/fuse.ts'
import type { Candidate } from '../../src/ports/indexes/index-filter.ts'

const count = 6

/** Numbers from 0 to 1 that only the seed decides. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Candidates of a leg, best first, with many equal scores; `share` of the rows have one. */
function drawLeg(random: () => number, kind: 'text' | 'vector'): Candidate[] {
  const share = random()
  const steps = [2, 8, 1e6][Math.floor(3 * random())] ?? 8
  const drawn = Array.from({ length: 90 }, (_, row) => {
    const score = Math.round(random() * steps) / steps
    // Such differences of cosines are lost in a sum.
    return { unitId: `u${row}`, score: kind === 'text' ? score : 1.3 * score - 0.3 + 1e-15 * random() }
  })
  return drawn
    .filter(() => random() < share)
    .sort((a, b) => b.score - a.score || (a.unitId < b.unitId ? -1 : 1))
    .map(({ unitId, score }) => ({ unitId, score }))
}

const legOf = (kind: 'text' | 'vector', candidates: Candidate[]): Leg => ({
  ...{ name: kind, kind, model: kind, floor: { any: 0, sameLanguage: 0.1 }, candidates, full: false },
  trace: { leg: kind, engine: 'embedded', candidates: candidates.length, tookMs: 0 },
})

const rankedOf = (candidates: readonly Candidate[]) => ({
  rows: Uint32Array.from(candidates, ({ unitId }) => Number(unitId.slice(1))),
  scores: Float64Array.from(candidates, ({ score }) => score),
})

describe('what is left out of the legs of a search', () => {
  it('changes neither its first hits nor what is said of them', () => {
    const random = randomOf(38)
    let left = 0
    for (let round = 0; round < 500; round++) {
      const kinds = round % 3 === 0 ? (['text'] as const) : (['text', 'vector'] as const)
      const legs = kinds.map((kind) => legOf(kind, drawLeg(random, kind)))
      const query = {
        q: round % 5 === 0 ? 'battery 7' : 'battery',
        ...(round % 2 && { vectorWeight: 0.01 + random() }),
      }
      const contest = contestFor({ vectorWeights: new Map() }, query, count)
      if (contest === null) throw new Error('all weights count')
      const [first, second] = legs.map(({ candidates }) => rankedOf(candidates))
      if (first === undefined) throw new Error('no leg')
      const places = contenders({ ...contest, queries: legs.length }, first, second)
      const fewer = legs.map((leg, i) => {
        const all = leg.candidates.map((candidate, at) => ({ ...candidate, rank: at + 1 }))
        const candidates = all.filter((_, at) => places[i] === null || places[i]?.includes(at))
        left += all.length - candidates.length
        return { ...leg, candidates }
      })
      const covered = random()
      const [whole, cut] = [legs, fewer].map((some) => fuse(some, query, new Map(), covered))
      const best = whole?.entries.slice(0, count)
      expect(cut?.entries.slice(0, count)).toEqual(best)
      expect(cut?.weights).toEqual(whole?.weights)
      for (const { unitId } of best ?? []) expect(cut?.explain(unitId)).toEqual(whole?.explain(unitId))
    }
    expect(left).toBeGreaterThan(5_000)
  })
})
