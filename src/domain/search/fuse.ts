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
 * Weighted mean of the legs' scores, each scaled to 0..1 over visible candidates alone: text by its maximum, vectors by
 * min-max over all legs of the same model. Units that only a fallback leg found follow, below every other score.
 * Ties are in ascending unitId. Pure.
 */
export function fuse(legs: readonly Leg[]): Fused[] {
  const fused = new Map<string, Fused>()
  const total = legs.reduce((sum, { kind }, i) => (firstOfModel(legs, i) ? sum + legWeights[kind] : sum), 0)
  for (const leg of legs) {
    const weight = legWeights[leg.kind]
    const normalize = scaleOf(leg, legs)
    for (const [i, { unitId, score }] of leg.candidates.entries()) {
      const entry = fused.get(unitId) ?? { unitId, score: 0, explain: [] }
      const normalized = normalize(score)
      entry.explain.push({ leg: leg.name, rank: i + 1, score, normalized, weight })
      entry.score += total === 0 ? 0 : (weight * normalized) / total
      fused.set(unitId, entry)
    }
  }
  placeFallback([...fused.values()])
  return [...fused.values()].sort((a, b) => b.score - a.score || (a.unitId < b.unitId ? -1 : 1))
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
