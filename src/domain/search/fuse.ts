import type { LegExplanation, SearchQuery } from '../../model/search.ts'
import type { Leg, LegKind } from './candidates.ts'
import { defaultVectorWeight, normalise, type Scale, scalesOf, vectorShare } from './scales.ts'

/** A Unit's place after fusion; `score` is 0..1. */
export interface Fused {
  unitId: string
  score: number
  /** Only the built-in vectors found it: whether it has anything in common with the query, its text must show. */
  doubtful: boolean
}

export interface Fusion {
  /** Best first. */
  entries: Fused[]
  /** By leg, the weight that this query gives it. */
  weights: Record<string, number>
  /** What each leg that found a Unit says of it. Made for the few that are returned. */
  explain(unitId: string): LegExplanation[]
}

/** A leg with what its scores count. */
interface Weighted {
  leg: Leg
  scale: Scale
  weight: number
}

/** The part of each kind of leg in a query's best score. */
const confidenceWeights: Record<LegKind, number> = { text: 1, vector: 0.4, fallback: 0 }

/** The highest score of a Unit that only legs without weight found: built-in vectors compare letters. */
const unweightedCeiling = 0.3

/**
 * Ranks by a weighted sum of the legs' scores, each scaled over visible candidates only (`scales.ts`). Units that only a
 * fallback leg found come below all others. For a query with text, a cosine of 0 or less finds nothing.
 *
 * To make scores of different queries comparable, all of a query's scores are scaled by its best match: the weighted
 * mean of the best text score (0..1) and the best cosine. Ties are in ascending unitId. Pure.
 */
export function fuse(
  legs: readonly Leg[],
  { q, vectorWeight }: Pick<SearchQuery, 'q' | 'vectorWeight'>,
  modelWeights: ReadonlyMap<string, number>,
): Fusion {
  // A search by vectors alone asks for the nearest, however far they are.
  const lowest = q.trim() === '' ? -Infinity : 0
  const scales = scalesOf(legs, lowest)
  const share = vectorShare(scales, q)
  const weightOf = ({ kind, model }: Leg) =>
    kind === 'vector'
      ? share * (vectorWeight ?? modelWeights.get(model) ?? defaultVectorWeight)
      : kind === 'text'
        ? 1
        : 0
  const weighted = legs.flatMap((leg): Weighted[] => {
    const scale = scales.get(leg.model)
    return scale === undefined ? [] : [{ leg, scale, weight: weightOf(leg) }]
  })
  const entries = summed(weighted, lowest)
  const max = entries.reduce((max, { score }) => Math.max(max, score), 0)
  const confidence = confidenceOf(scales)
  // The root undoes the square of text scores, so that those of text alone stay in proportion.
  for (const entry of entries) entry.score = max > 0 ? confidence * Math.sqrt(entry.score / max) : 0
  placeFallback(entries, weighted)
  return {
    entries: entries.sort((a, b) => b.score - a.score || (a.unitId < b.unitId ? -1 : 1)),
    weights: Object.fromEntries(legs.map((leg) => [leg.name, weightOf(leg)])),
    explain: (unitId) => weighted.flatMap((one) => explanationIn(one, unitId)),
  }
}

/** Each Unit once, with the weighted sum of its scaled scores; without cosines that are not above `lowest`. */
function summed(weighted: readonly Weighted[], lowest: number): Fused[] {
  const sums = new Map<string, Fused>()
  for (const { leg, scale, weight } of weighted) {
    for (const { unitId, score } of leg.candidates) {
      if (leg.kind !== 'text' && score <= lowest) continue
      const added = weight * normalise(score, scale)
      const entry = sums.get(unitId)
      const doubtful = leg.kind === 'fallback'
      if (entry === undefined) sums.set(unitId, { unitId, score: added, doubtful })
      else {
        entry.score += added
        entry.doubtful &&= doubtful
      }
    }
  }
  return [...sums.values()]
}

function explanationIn({ leg, scale, weight }: Weighted, unitId: string): LegExplanation[] {
  const at = leg.candidates.findIndex((candidate) => candidate.unitId === unitId)
  const found = leg.candidates[at]
  if (found === undefined) return []
  return [{ leg: leg.name, rank: at + 1, score: found.score, normalized: normalise(found.score, scale), weight }]
}

/** Only models that found something count: one without results does not lower the confidence of the others. */
function confidenceOf(scales: ReadonlyMap<string, Scale>): number {
  let [sum, total] = [0, 0]
  for (const { kind, max } of scales.values()) {
    if (max === -Infinity) continue
    sum += confidenceWeights[kind] * Math.max(0, Math.min(1, max))
    total += confidenceWeights[kind]
  }
  return total === 0 ? 0 : sum / total
}

/** Places Units that only legs without weight found no higher than the lowest of the others. */
function placeFallback(entries: readonly Fused[], weighted: readonly Weighted[]): void {
  if (weighted.every(({ weight }) => weight > 0)) return
  const ranked = new Set<string>()
  const similarity = new Map<string, number>()
  for (const { leg, scale, weight } of weighted) {
    for (const { unitId, score } of leg.candidates) {
      if (weight > 0) ranked.add(unitId)
      else similarity.set(unitId, Math.max(similarity.get(unitId) ?? 0, normalise(score, scale)))
    }
  }
  const lowest = (min: number, { unitId, score }: Fused) => (ranked.has(unitId) ? Math.min(min, score) : min)
  const ceiling = entries.reduce(lowest, unweightedCeiling)
  for (const entry of entries) {
    if (!ranked.has(entry.unitId)) entry.score = ceiling * (similarity.get(entry.unitId) ?? 0)
  }
}
