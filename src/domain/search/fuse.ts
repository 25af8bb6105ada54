import type { LegExplanation } from '../../model/search.ts'
import type { Leg, LegKind } from './candidates.ts'

/** A Unit's place after fusion; `score` is 0..1. */
export interface Fused {
  unitId: string
  score: number
  explain: LegExplanation[]
}

/**
 * A constant for each kind of leg, the same for all queries. The models behind callers' vectors are unknown; with this
 * weight even hashed n-grams do not make the ranking worse than text only (bench/quality).
 */
export const legWeights: Record<LegKind, number> = { text: 1, vector: 0.4, fallback: 0 }

/** Shared by the legs of one model: a Unit is in one plane, so it is in only one of them. */
interface Scale {
  kind: LegKind
  min: number
  max: number
}

/**
 * Ranks by the weighted mean of the legs' scores, each scaled to 0..1 over visible candidates only: text by its
 * maximum, vectors by min-max over all legs of the same model. Units that only a fallback leg found come below all
 * others.
 *
 * To make scores of different queries comparable, all of a query's scores are scaled by its best match: the weighted
 * mean of the best text score (0..1) and the best cosine. Ties are in ascending unitId. Pure.
 */
export function fuse(legs: readonly Leg[]): Fused[] {
  const scales = scalesOf(legs)
  const total = sumOf(scales, () => 1)
  const share = total === 0 ? 0 : confidenceOf(scales) / total
  const fused = new Map<string, Fused>()
  for (const { name, model, candidates } of legs) {
    const scale = scales.get(model)
    if (scale === undefined) continue
    const weight = legWeights[scale.kind]
    for (const [i, { unitId, score }] of candidates.entries()) {
      const entry = fused.get(unitId) ?? { unitId, score: 0, explain: [] }
      const normalized = normalize(score, scale)
      entry.explain.push({ leg: name, rank: i + 1, score, normalized, weight })
      entry.score += share * weight * normalized
      fused.set(unitId, entry)
    }
  }
  const entries = [...fused.values()]
  placeFallback(entries)
  return entries.sort((a, b) => b.score - a.score || (a.unitId < b.unitId ? -1 : 1))
}

function scalesOf(legs: readonly Leg[]): ReadonlyMap<string, Scale> {
  const scales = new Map<string, Scale>()
  for (const { model, kind, candidates } of legs) {
    const scale = scales.get(model) ?? { kind, min: Infinity, max: -Infinity }
    for (const { score } of candidates) {
      scale.min = Math.min(scale.min, score)
      scale.max = Math.max(scale.max, score)
    }
    scales.set(model, scale)
  }
  return scales
}

function normalize(score: number, { kind, min, max }: Scale): number {
  if (kind === 'text') return max > 0 ? score / max : 0
  return max > min ? (score - min) / (max - min) : 1
}

/** Only models that found something count: one without results does not lower the confidence of the others. */
function confidenceOf(scales: ReadonlyMap<string, Scale>): number {
  const total = sumOf(scales, ({ max }) => (max === -Infinity ? 0 : 1))
  return total === 0 ? 0 : sumOf(scales, ({ max }) => Math.max(0, Math.min(1, max))) / total
}

function sumOf(scales: ReadonlyMap<string, Scale>, value: (scale: Scale) => number): number {
  let sum = 0
  for (const scale of scales.values()) sum += legWeights[scale.kind] * value(scale)
  return sum
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
