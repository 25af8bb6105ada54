import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import type { Entailment, EntailmentPair } from '../../ports/models/entailment.ts'
import { sentences } from '../text/sentences.ts'
import { contradictsByContrast } from './contrasts.ts'
import { coverage } from './coverage.ts'
import { isGrounded } from './grounding.ts'
import { contradictsByName } from './names.ts'
import { contradictsByNegation } from './negation.ts'
import { compareNumbers, type NumberVerdict } from './numbers.ts'
import { emptyReading, part, type Reading, read } from './reading.ts'

const threshold = 0.5
/** A statement that is not grounded stays below the threshold. */
const ceiling = 0.49
/** The factor for a grade after a veto: the result is below the threshold, whatever the coverage. */
const contradicted = 0.3
const byNumbers: Record<NumberVerdict, number> = { same: 1, missing: 0.45, other: contradicted }
/** The factor for two adjacent sentences together: support should come from one place. */
const together = 0.8
/** A different name may be an alias. */
const renamed = 0.8

/**
 * Entailment without a model: how much of the hypothesis the best sentence of the premise covers, reduced by
 * contradictions. For figures compared with ROUGE: `npm run bench:faithfulness`.
 */
export function createLexicalEntailment(analysis: TextAnalysis): Entailment {
  return {
    method: 'lexical',
    threshold,
    score: async (pairs) => pairs.map((pair) => scorePair(analysis, pair)),
  }
}

function scorePair(analysis: TextAnalysis, { premise, hypothesis }: EntailmentPair): number {
  const said = read(analysis, hypothesis)
  const whole = read(analysis, premise)
  const graded = grade(said, whole)
  // Both branches keep the order of the grades.
  return isGrounded(said, whole) ? threshold + (1 - threshold) * graded : ceiling * graded
}

function grade(said: Reading, whole: Reading): number {
  const { evidence, covered } = bestEvidence(said, whole)
  let score = covered * byNumbers[compareNumbers(said, evidence, whole)]
  if (contradictsByNegation(said, evidence) || contradictsByContrast(said, evidence)) score *= contradicted
  if (contradictsByName(said, evidence, whole)) score *= renamed
  return score
}

/** The sentence of the premise that covers most of it, or two adjacent ones. */
function bestEvidence(said: Reading, whole: Reading): { evidence: Reading; covered: number } {
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
  return best
}
