import type { LegExplanation, SearchQuery } from '../../model/search.ts'
import type { Leg, LegKind } from './candidates.ts'
import { defaultVectorWeight, normalise, type Scale, scalesOf, vectorShare } from './scales.ts'

/** A Unit's place after fusion; `score` is 0..1. */
export interface Fused {
  unitId: string
  score: number
  explain: LegExplanation[]
}

export interface Fusion {
  /** Best first. */
  entries: Fused[]
  /** By leg, the weight that this query gives it. */
  weights: Record<string, number>
}

/** The part of each kind of leg in a query's best score. */
const confidenceWeights: Record<LegKind, number> = { text: 1, vector: 0.4, fallback: 0 }

/**
 * Ranks by a weighted sum of the legs' scores, each scaled over visible candidates only (`scales.ts`). Units that only a
 * fallback leg found come below all others.
 *
 * To make scores of different queries comparable, all of a query's scores are scaled by its best match: the weighted
 * mean of the best text score (0..1) and the best cosine. Ties are in ascending unitId. Pure.
 */
export function fuse(
  legs: readonly Leg[],
  { q, vectorWeight }: Pick<SearchQuery, 'q' | 'vectorWeight'>,
  modelWeights: ReadonlyMap<string, number>,
): Fusion {
  const scales = scalesOf(legs)
  const share = vectorShare(scales, q)
  const weightOf = ({ kind, model }: Pick<Leg, 'kind' | 'model'>) =>
    kind === 'vector'
      ? share * (vectorWeight ?? modelWeights.get(model) ?? defaultVectorWeight)
      : kind === 'text'
        ? 1
        : 0
  const fused = new Map<string, Fused>()
  for (const { name, model, kind, candidates } of legs) {
    const scale = scales.get(model)
    if (scale === undefined) continue
    const weight = weightOf({ kind, model })
    for (const [i, { unitId, score }] of candidates.entries()) {
      const entry = fused.get(unitId) ?? { unitId, score: 0, explain: [] }
      const normalized = normalise(score, scale)
      entry.explain.push({ leg: name, rank: i + 1, score, normalized, weight })
      entry.score += weight * normalized
      fused.set(unitId, entry)
    }
  }
  const entries = [...fused.values()]
  const max = entries.reduce((max, { score }) => Math.max(max, score), 0)
  const confidence = confidenceOf(scales)
  // The root undoes the square of text scores, so that those of text alone stay in proportion.
  for (const entry of entries) entry.score = max > 0 ? confidence * Math.sqrt(entry.score / max) : 0
  placeFallback(entries)
  return {
    entries: entries.sort((a, b) => b.score - a.score || (a.unitId < b.unitId ? -1 : 1)),
    weights: Object.fromEntries(legs.map((leg) => [leg.name, weightOf(leg)])),
  }
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

/** Places fallback-only Units below the lowest of the others. */
function placeFallback(entries: readonly Fused[]): void {
  const ranked = entries.filter((e) => e.explain.some((leg) => leg.weight > 0))
  const ceiling = ranked.reduce((min, e) => Math.min(min, e.score), ranked.length > 0 ? 1 : 0.5)
  for (const entry of entries) {
    if (entry.explain.some((leg) => leg.weight > 0)) continue
    const similarity = entry.explain.reduce((max, leg) => Math.max(max, leg.normalized), 0)
    entry.score = ceiling * similarity * 0.5
  }
}
