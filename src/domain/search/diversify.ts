import type { SearchQuery } from '../../model/search.ts'
import { vectorsOf } from '../../model/unit.ts'
import type { Embedding } from '../../ports/indexes/index-filter.ts'
import type { RankingDeps } from './legs.ts'
import type { Hydrated } from './retrieve.ts'

/**
 * The first hits of these up to the end of the page, by maximal marginal relevance (Carbonell & Goldstein 1998). Each next hit is the one with the
 * highest (1 - diversity) · score - diversity · its highest similarity to a hit before it. Scores stay. The similarity is
 * the cosine of vectors of the same plane and model, at least 0; Units without such vectors count as unlike. Of equals
 * the better ranked comes first.
 */
export async function diversify(
  { catalog }: RankingDeps,
  namespaceId: string,
  { diversity, offset, topK }: SearchQuery,
  hits: readonly Hydrated[],
): Promise<readonly Hydrated[]> {
  if (hits.length < 2) return hits
  const ids = hits.map(({ unit }) => unit.unitId)
  const vectors = new Map<string, Embedding[]>()
  for (const change of await catalog.changes.of(namespaceId, ids)) {
    if (change.kind !== 'put') continue
    const { unitId, vector, otherVector } = change.unit
    vectors.set(
      unitId,
      [vector, otherVector].filter((embedding) => embedding !== null && embedding !== undefined),
    )
  }
  const similarity = (a: Hydrated, b: Hydrated) =>
    a.unit.plane === b.unit.plane ? cosineOf(vectors.get(a.unit.unitId) ?? [], vectors.get(b.unit.unitId) ?? []) : 0
  // One more tells that others come after the page.
  return choose(hits, { diversity, length: offset + topK + 1 }, similarity)
}

function choose(
  hits: readonly Hydrated[],
  { diversity, length }: { diversity: number; length: number },
  similarity: (a: Hydrated, b: Hydrated) => number,
): Hydrated[] {
  const left = hits.map((hit) => ({ hit, nearest: 0 }))
  const chosen: Hydrated[] = []
  const value = ({ hit, nearest }: { hit: Hydrated; nearest: number }) =>
    (1 - diversity) * hit.score - diversity * nearest
  while (chosen.length < length && left.length > 0) {
    let best = 0
    // `left` is in the order of the ranking, so the better ranked of equals is met first.
    for (const [i, one] of left.entries()) {
      const leader = left[best]
      if (leader !== undefined && value(one) > value(leader)) best = i
    }
    const [next] = left.splice(best, 1)
    if (next === undefined) break
    chosen.push(next.hit)
    for (const one of left) one.nearest = Math.max(one.nearest, similarity(one.hit, next.hit))
  }
  return chosen
}

/** Of the first model that both have: of their first vectors, which are those of how their texts begin. */
function cosineOf(some: readonly Embedding[], others: readonly Embedding[]): number {
  for (const one of some) {
    const other = others.find(({ model }) => model === one.model)
    const [a, b] = [one, other].map((embedding) => embedding && vectorsOf(embedding)[0])
    if (a && b) return Math.max(0, cosine(a, b))
  }
  return 0
}

function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, squaredA, squaredB] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0]
    dot += x * y
    squaredA += x * x
    squaredB += y * y
  }
  return dot === 0 ? 0 : dot / Math.sqrt(squaredA * squaredB)
}
