import type { LegExplanation } from '../../model/search.ts'
import type { Leg, LegKind } from './candidates.ts'

/** A Unit's place after fusion; `score` is 0..1. */
export interface Fused {
  unitId: string
  score: number
  explain: LegExplanation[]
}

/** Callers' own and configured vectors weigh as much as the text; built-in ones only fill up behind it. */
export const legWeights: Record<LegKind, number> = { text: 1, vector: 1, fallback: 0 }

/**
 * Ranks by the weighted mean of the legs' scores, each scaled to 0..1 over visible candidates alone: text by its maximum,
 * vectors by min-max over all legs of the same model. Units that only a fallback leg found follow, below every other.
 *
 * So that scores of different queries compare, all of a query's are scaled by how well its legs match at best: the
 * weighted mean of the best text score (0..1) and the best cosine. Ties are in ascending unitId. Pure.
 */
export function fuse(legs: readonly Leg[]): Fused[] {
  const fused = new Map<string, Fused>()
  const counted = legs.filter((_, i) => firstOfModel(legs, i))
  const total = counted.reduce((sum, { kind }) => sum + legWeights[kind], 0)
  const confidence = confidenceOf(legs, counted)
  for (const leg of legs) {
    const weight = legWeights[leg.kind]
    const normalize = scaleOf(leg, legs)
    for (const [i, { unitId, score }] of leg.candidates.entries()) {
      const entry = fused.get(unitId) ?? { unitId, score: 0, explain: [] }
      const normalized = normalize(score)
      entry.explain.push({ leg: leg.name, rank: i + 1, score, normalized, weight })
      entry.score += total === 0 ? 0 : (confidence * weight * normalized) / total
      fused.set(unitId, entry)
    }
  }
  placeFallback([...fused.values()])
  return [...fused.values()].sort((a, b) => b.score - a.score || (a.unitId < b.unitId ? -1 : 1))
}

/** Over the legs that found anything: a leg that found nothing takes no part in the others' confidence. */
function confidenceOf(legs: readonly Leg[], counted: readonly Leg[]): number {
  let [sum, total] = [0, 0]
  for (const { model, kind } of counted) {
    const scores = legs.filter((leg) => leg.model === model).flatMap((leg) => leg.candidates.map((c) => c.score))
    if (scores.length === 0) continue
    sum +=
      legWeights[kind] *
      Math.max(
        0,
        Math.min(
          1,
          scores.reduce((a, b) => Math.max(a, b)),
        ),
      )
    total += legWeights[kind]
  }
  return total === 0 ? 0 : sum / total
}

// A Unit lives in one plane, so it can be in one leg of a model only: that model counts once in the mean.
const firstOfModel = (legs: readonly Leg[], i: number) => legs.findIndex((leg) => leg.model === legs[i]?.model) === i

function scaleOf(leg: Leg, legs: readonly Leg[]): (score: number) => number {
  const scores = legs.filter((l) => l.model === leg.model).flatMap((l) => l.candidates.map((c) => c.score))
  const most = scores.reduce((a, b) => Math.max(a, b), -Infinity)
  if (leg.kind === 'text') return (score) => (most > 0 ? score / most : 0)
  const least = scores.reduce((a, b) => Math.min(a, b), Infinity)
  return (score) => (most > least ? (score - least) / (most - least) : 1)
}

/** Spreads fallback-only Units below the lowest of the others. */
function placeFallback(entries: readonly Fused[]): void {
  const ranked = entries.filter((e) => e.explain.some((leg) => leg.weight > 0))
  const ceiling = ranked.reduce((least, e) => Math.min(least, e.score), ranked.length > 0 ? 1 : 0.5)
  for (const entry of entries) {
    if (entry.explain.some((leg) => leg.weight > 0)) continue
    const similarity = entry.explain.reduce((most, leg) => Math.max(most, leg.normalized), 0)
    entry.score = ceiling * similarity * 0.5
  }
}
