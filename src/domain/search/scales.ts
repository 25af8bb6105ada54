import type { Leg, LegKind } from './candidates.ts'

/**
 * What scales the scores of one model, which its legs share: a Unit is in one plane, so it is in only one of them.
 * `tail`: of text, the score of rank `tailRank` as a share of the best.
 */
export interface Scale {
  kind: LegKind
  min: number
  max: number
  tail: number
  /** Of a vector leg: the cosine from which on a score says something. */
  floor: number
}

/** Constants of the fusion, fitted on six collections with a real model and with each left out (bench/embeddings). */
export const defaultVectorWeight = 3
const textPower = 2
const vectorPower = 1.5
const textConfidencePower = 0.5
const coveragePower = 8
const dropPower = 0.5
const tailRank = 50
/** Of a query with a number: embeddings do not tell 14-06-2018 from 23-06-2018. */
const numberShare = 0.2
/** A vector leg always orders what the text leg did not find. */
const minShare = 0.02

/** `lowest`: the cosine up to which a vector finds nothing. */
export function scalesOf(legs: readonly Leg[], lowest: number): ReadonlyMap<string, Scale> {
  const scales = new Map<string, Scale>()
  const textSays = legs.some(({ kind, candidates }) => kind === 'text' && (candidates[0]?.score ?? 0) > 0)
  for (const { model, kind, candidates } of legs) {
    const scale = scales.get(model) ?? { kind, min: Infinity, max: -Infinity, tail: 0, floor: 0 }
    for (const { score } of candidates) {
      scale.min = Math.min(scale.min, score)
      scale.max = Math.max(scale.max, score)
    }
    scale.tail = Math.max(scale.tail, candidates[tailRank - 1]?.score ?? 0)
    // Equal cosines tell no Unit from another. Without a text that does, they are still how near the Units are.
    const tellsApart = scale.max > scale.min || (textSays && candidates.length > 1)
    scale.floor = tellsApart ? Math.max(lowest, scale.min) : 0
    scales.set(model, scale)
  }
  return scales
}

/**
 * A score scaled to 0..1. Text: the square of its share of the best, because far behind the best hit says little. A
 * cosine: how much of the way from the last candidate, or from 0, to identity it is, to the power of 1.5. A model whose
 * cosines are all high, or all near each other, does not gain influence by that, as it would by min-max.
 */
export function normalise(score: number, { kind, max, floor }: Scale): number {
  if (kind === 'text') return max > 0 ? (score / max) ** textPower : 0
  if (kind === 'fallback') return Math.max(0, Math.min(1, score))
  return floor < 1 ? Math.max(0, (score - floor) / (1 - floor)) ** vectorPower : 0
}

/**
 * How much a query leans on vectors, relative to text: more the less of the query the best text covers, and little if it
 * covers all of it and few others come near. That is how names look, which embeddings blur.
 */
export function vectorShare(scales: ReadonlyMap<string, Scale>, q: string): number {
  for (const { kind, max, tail } of scales.values()) {
    if (kind !== 'text' || max <= 0) continue
    const coverage = Math.min(1, max)
    const drop = Math.max(0, 1 - tail / max)
    const open = Math.max(minShare, 1 - coverage ** coveragePower * drop ** dropPower)
    const share = /\p{N}/u.test(q) ? numberShare * open : open
    return share / Math.max(minShare, coverage) ** textConfidencePower
  }
  return 1
}
