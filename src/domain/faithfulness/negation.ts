import type { Reading } from './reading.ts'

/** English, and the commonest of some neighbours; a language that is not here only loses this veto. */
const negators = new Set(
  `no not never none nobody nothing nowhere neither nor cannot without
  nicht kein keine keinen niemals pas jamais nunca niet`.split(/\s+/),
)
/** How many content words behind a negator it is taken to negate. */
const reach = 3
const clauseEnd = /[,;:.!?。！？；]/u

/** Whether something that both say is negated in one of them only. */
export function contradictsByNegation(hypothesis: Reading, evidence: Reading): boolean {
  const [here, there] = [polarity(hypothesis), polarity(evidence)]
  for (const [term, negated] of here) {
    const other = there.get(term)
    // Evidence that says both contradicts neither.
    if (other !== undefined && negated !== 'both' && other !== 'both' && other !== negated) return true
  }
  return false
}

function polarity({ text, words }: Reading): Map<string, boolean | 'both'> {
  const polarities = new Map<string, boolean | 'both'>()
  let left = 0
  let previousEnd = 0
  for (const [i, { word, term, stop, start, end }] of words.entries()) {
    if (clauseEnd.test(text.slice(previousEnd, start))) left = 0
    previousEnd = end
    if (negators.has(word) || isContracted(text, word, start)) {
      left = words[i + 1]?.word === 'only' ? 0 : reach
      continue
    }
    if (stop) continue
    const negated = left > 0
    left -= 1
    polarities.set(term, (polarities.get(term) ?? negated) === negated ? negated : 'both')
  }
  return polarities
}

/** The analysis cuts `don't` into `don` and `t`. */
const isContracted = (text: string, word: string, start: number) =>
  word === 't' && /n['’]$/iu.test(text.slice(Math.max(0, start - 2), start))
