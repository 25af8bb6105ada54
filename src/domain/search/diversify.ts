import type { SearchQuery } from '../../model/search.ts'
import type { Catalog } from '../../ports/catalog/catalog.ts'
import type { Embedding } from '../../ports/indexes/index-filter.ts'
import type { Hydrated } from './hydrate.ts'
import type { Plan } from './plan.ts'

/** The best hits that a diverse search chooses from. */
const depth = 50

/** The plan of a search that asks for diversity finds more hits to choose from. */
export function deepenedForDiversity(plan: Plan): Plan {
  const { diversity, topK } = plan.query
  return diversity > 0 ? { ...plan, query: { ...plan.query, topK: Math.max(topK, depth) } } : plan
}

/**
 * The `topK` of the hits by maximal marginal relevance (Carbonell & Goldstein 1998). Each next hit is the one with the
 * highest (1 - diversity) · score - diversity · its highest similarity to a hit before it. Scores stay. The similarity is
 * the cosine of vectors of the same plane and model, at least 0; Units without such vectors count as unlike. Of equals
 * the better ranked comes first.
 */
export async function diversify(
  { catalog }: { catalog: Pick<Catalog, 'changes'> },
  namespaceId: string,
  { diversity, topK }: SearchQuery,
  hits: readonly Hydrated[],
): Promise<Hydrated[]> {
  if (diversity === 0 || hits.length < 2) return hits.slice(0, topK)
  const ids = hits.map(({ unit }) => unit.unitId)
  const vectors = new Map<string, Embedding[]>()
  for (const change of await catalog.changes.of(namespaceId, ids)) {
    if (change.kind === 'remove') continue
    const { unitId, vector, otherVector } = change.unit
    vectors.set(
      unitId,
      [vector, otherVector].filter((embedding) => embedding !== null && embedding !== undefined),
    )
  }
  const similarity = (a: Hydrated, b: Hydrated) =>
    a.unit.plane === b.unit.plane ? cosineOf(vectors.get(a.unit.unitId) ?? [], vectors.get(b.unit.unitId) ?? []) : 0
  return chosen(hits, { diversity, topK }, similarity)
}

function chosen(
  hits: readonly Hydrated[],
  { diversity, topK }: Pick<SearchQuery, 'diversity' | 'topK'>,
  similarity: (a: Hydrated, b: Hydrated) => number,
): Hydrated[] {
  const left = hits.map((hit) => ({ hit, nearest: 0 }))
  const taken: Hydrated[] = []
  const value = ({ hit, nearest }: { hit: Hydrated; nearest: number }) =>
    (1 - diversity) * hit.score - diversity * nearest
  while (taken.length < topK && left.length > 0) {
    let best = 0
    // `left` is in the order of the ranking, so the better ranked of equals is met first.
    for (const [i, one] of left.entries()) {
      const leader = left[best]
      if (leader !== undefined && value(one) > value(leader)) best = i
    }
    const [next] = left.splice(best, 1)
    if (next === undefined) break
    taken.push(next.hit)
    for (const one of left) one.nearest = Math.max(one.nearest, similarity(one.hit, next.hit))
  }
  return taken
}

/** Of the first model that both have. */
function cosineOf(some: readonly Embedding[], others: readonly Embedding[]): number {
  for (const { model, values } of some) {
    const other = others.find((one) => one.model === model)
    if (other !== undefined) return Math.max(0, cosine(values, other.values))
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
