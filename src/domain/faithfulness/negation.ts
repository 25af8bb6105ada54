import type { Reading } from './reading.ts'

/** English, and the commonest of some neighbours; a language that is not here only loses this veto. */
const negators = new Set(
  `no not never none nobody nothing nowhere neither nor cannot without
  nicht kein keine keinen niemals pas jamais nunca niet`.split(/\s+/),
)
/** Within so many content words behind a negator a term is negated; only beyond the further it surely is not. */
const negatedWithin = 2
const clearBeyond = 5
const clauseEnd = /[,;:.!?()。！？；–—]|--|\s-\s/u
const conjunctions = new Set(['and', 'but', 'while', 'because', 'although', 'und', 'aber', 'et', 'mais', 'y', 'pero'])

/** Whether something that both say is negated in one of them only. */
export function contradictsByNegation(hypothesis: Reading, evidence: Reading): boolean {
  const [here, there] = [distances(hypothesis), distances(evidence)]
  for (const [term, distance] of here) {
    const other = there.get(term)
    if (other !== undefined && Math.min(distance, other) <= negatedWithin && Math.max(distance, other) > clearBeyond) {
      return true
    }
  }
  return false
}

/** How many content words each term stands behind a negator of its clause, where it is the least; else Infinity. */
function distances({ text, words }: Reading): Map<string, number> {
  const least = new Map<string, number>()
  let distance = Number.POSITIVE_INFINITY
  let previousEnd = 0
  for (const [i, { word, term, stop, start, end }] of words.entries()) {
    if (conjunctions.has(word) || clauseEnd.test(text.slice(previousEnd, start))) distance = Number.POSITIVE_INFINITY
    previousEnd = end
    if (negators.has(word) || isContracted(text, word, start)) {
      distance = negates(text, end, words[i + 1]?.word) ? 0 : Number.POSITIVE_INFINITY
    } else if (!stop) {
      distance += 1
      least.set(term, Math.min(distance, least.get(term) ?? distance))
    }
  }
  return least
}

/** Not so `not only`, `no-confidence` and `No 1`. */
const negates = (text: string, end: number, next: string | undefined) =>
  next !== 'only' && text[end] !== '-' && !/^\p{Nd}/u.test(next ?? '')

/** The analysis cuts `don't` into `don` and `t`. */
const isContracted = (text: string, word: string, start: number) =>
  word === 't' && /n['’]$/iu.test(text.slice(Math.max(0, start - 2), start))
