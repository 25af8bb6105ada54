import { likeness } from '../text/likeness.ts'
import { contradictsByContrast } from './contrasts.ts'
import { contradictsByNegation } from './negation.ts'
import { compareNumbers } from './numbers.ts'
import { alignmentWith } from './passage-alignment.ts'
import type { Reading } from './reading.ts'
import { type Claimed, claimedIn, keyOf } from './words.ts'

/** What speaks for support, each 0..1, and what speaks against it, each 0 or 1. */
const weights = {
  /** One passage says it, in its order. */
  aligned: 0.4,
  /** The share of its words that the evidence has, counting repetitions (ROUGE-1 precision over stems, Lin 2004). */
  words: 0.6,
  /** The share of its content words that the evidence has in some form or spelling. Names and numbers count more. */
  content: 0.45,
  negated: -0.9,
  otherNumber: -0.7,
  contrast: -0.3,
}
const nameWeight = 1.5
/** How much a spelling or form of a word counts. */
const alikeWeight = 0.7
/** Grade of a quote. */
export const fullGrade = weights.aligned + weights.words + weights.content

/**
 * How well the evidence supports a claim, about -2..`fullGrade`. `local` is the sentence of the evidence that speaks of
 * it. The weights were chosen for collections together, and each was tested on weights chosen without it.
 */
export function grade(said: Reading, local: Reading, whole: Reading): number {
  const claim = claimedIn(said)
  if (claim.length === 0) return 0
  const present = whole.words.map(keyOf)
  return (
    weights.aligned * alignmentWith(claim, whole) +
    weights.words * sharePresent(claim, present) +
    weights.content * contentShare(claim, new Set(present)) +
    (contradictsByNegation(said, local) ? weights.negated : 0) +
    (compareNumbers(said, local, whole) === 'other' ? weights.otherNumber : 0) +
    (contradictsByContrast(said, local) ? weights.contrast : 0)
  )
}

function sharePresent(claim: readonly Claimed[], present: readonly string[]): number {
  const left = new Map<string, number>()
  for (const key of present) left.set(key, (left.get(key) ?? 0) + 1)
  let found = 0
  for (const { key } of claim) {
    const count = left.get(key) ?? 0
    if (count > 0) found += 1
    left.set(key, count - 1)
  }
  return found / claim.length
}

function contentShare(claim: readonly Claimed[], present: ReadonlySet<string>): number {
  const content = claim.filter(({ stop }) => !stop)
  const wanted = content.length > 0 ? content : claim
  const alike = likeness(present)
  let [found, total] = [0, 0]
  for (const { key, isName } of wanted) {
    const weight = isName ? nameWeight : 1
    total += weight
    if (present.has(key)) found += weight
    else if (alike(key).length > 0) found += alikeWeight * weight
  }
  return found / total
}
