import type { Reading } from './reading.ts'

/** English, and the most common ones of some other languages; a language that is missing only loses this veto. */
const negators = new Set(
  `no not never none nobody nothing nowhere neither nor cannot without
  nicht kein keine keinen niemals pas jamais nunca niet`.split(/\s+/),
)
/** Distances after a negator, in content words: up to the first a term is negated, beyond the second surely not. */
const negatedWithin = 2
const clearBeyond = 5
const clauseEnd = /[,;:.!?()。！？；–—]|--|\s-\s/u
const conjunctions = new Set(['and', 'but', 'while', 'because', 'although', 'und', 'aber', 'et', 'mais', 'y', 'pero'])

/** Whether a term in both is negated in only one of them. */
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

/** The smallest distance of each term from a negator before it in its clause, in content words; otherwise Infinity. */
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

/** Excludes `not only`, `no-confidence` and `No 1`. */
const negates = (text: string, end: number, next: string | undefined) =>
  next !== 'only' && text[end] !== '-' && !/^\p{Nd}/u.test(next ?? '')

/** The analysis splits `don't` into `don` and `t`. */
const isContracted = (text: string, word: string, start: number) =>
  word === 't' && /n['’]$/iu.test(text.slice(Math.max(0, start - 2), start))
