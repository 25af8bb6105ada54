import { mapInSlices } from '../../async/pieces.ts'
import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'
import type { Entailment, EntailmentPair } from '../../ports/models/entailment.ts'
import { sentences } from '../text/sentences.ts'
import { contentTerms } from '../text/words.ts'
import { fullGrade, grade } from './grade.ts'
import { isGrounded } from './grounding.ts'
import { emptyReading, part, type Reading, read } from './tokens.ts'

/** Only what is grounded passes. At least this share of it is supported. */
const threshold = 0.9
/** Below the threshold. */
const ceiling = 0.89
/** A logistic curve (Platt 1999) from grades to the share of pairs that people judged as supported. */
const calibration = { slope: 1.75, middle: 1.025 }
/** The factor for two adjacent sentences together: support should come from one place. */
const together = 0.8

/**
 * Entailment without a model: how well a passage of the premise says the hypothesis, calibrated. Only what is grounded
 * passes. For figures compared with ROUGE: `npm run bench:faithfulness`.
 */
export function createLexicalEntailment(analysis: TextAnalysis): Entailment {
  return {
    method: 'lexical',
    threshold,
    score: (pairs) => mapInSlices(pairs, (pair) => scorePair(analysis, pair)),
  }
}

function scorePair(analysis: TextAnalysis, { premise, hypothesis }: EntailmentPair): number {
  const said = read(analysis, hypothesis)
  const whole = read(analysis, premise)
  if (said.text.trim() === '') return 0
  const graded = grade(said, bestEvidence(said, whole), whole)
  // Both branches keep the order of the grades.
  if (isGrounded(said, whole)) return threshold + (1 - threshold) * Math.max(0, graded / fullGrade)
  return ceiling / (1 + Math.exp(-calibration.slope * (graded - calibration.middle)))
}

/** The sentence of the premise that covers most of it, or two adjacent ones. */
function bestEvidence(said: Reading, whole: Reading): Reading {
  let best = { evidence: emptyReading, covered: 0 }
  const spans = sentences(whole.text)
  for (const [i, { start, end }] of spans.entries()) {
    const next = spans[i + 1]
    const one = part(whole, start, end)
    const two = next ? part(whole, start, next.end) : one
    const inOne = { evidence: one, covered: coverage(said.words, one.words) }
    const inTwo = { evidence: two, covered: together * coverage(said.words, two.words) }
    for (const found of [inOne, inTwo]) if (found.covered > best.covered) best = found
  }
  return best.evidence
}

/**
 * How much of the hypothesis the evidence covers, 0..1: the mean of the share of its content words and the share of its
 * pairs of adjacent words, stop words included (the recall sides of ROUGE-1 and ROUGE-2, Lin 2004, over stems). Words
 * show the topic, pairs show who did what to whom.
 */
function coverage(hypothesis: readonly Word[], evidence: readonly Word[]): number {
  const wanted = contentTerms(hypothesis)
  if (wanted.length === 0) return 0
  const words = shareOf(wanted, contentTerms(evidence))
  const pairs = pairsOf(hypothesis)
  // A single word has no pairs.
  return pairs.length === 0 ? words : (words + shareOf(pairs, pairsOf(evidence))) / 2
}

const pairsOf = (words: readonly Word[]): string[] => words.slice(1).map(({ term }, i) => `${words[i]?.term} ${term}`)

/** The share of `wanted` that is present, counting repetitions. */
function shareOf(wanted: readonly string[], present: readonly string[]): number {
  const left = new Map<string, number>()
  for (const term of present) left.set(term, (left.get(term) ?? 0) + 1)
  let found = 0
  for (const term of wanted) {
    const count = left.get(term) ?? 0
    if (count > 0) found += 1
    left.set(term, count - 1)
  }
  return found / wanted.length
}
