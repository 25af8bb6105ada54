import { cardinalOf } from '../text/cardinals.ts'
import { unitOf } from './measures.ts'
import type { Reading } from './reading.ts'

/** A number as the runs of its digits, so that `36,000` also matches `36, 000`. */
interface Quantity {
  runs: readonly string[]
  unit: string | null
}

/** Digits of any script, with separators between them; tokenisers split numbers from their separators. */
const written = /\p{Nd}+(?:(?:\s?[.,:/-]\s?|\s)\p{Nd}+)*/gu
const glued = /\p{Nd}+(?:[.,:/-]\p{Nd}+)*/gu
const words = /\p{L}+/gu

/** What the evidence says of the numbers in the hypothesis: all of them, different ones, or some are missing. */
export type NumberVerdict = 'same' | 'other' | 'missing'

/** `local` is the sentence that the hypothesis is compared with, `whole` all of the evidence. */
export function compareNumbers(hypothesis: Reading, local: Reading, whole: Reading): NumberVerdict {
  const wanted = quantitiesOf(hypothesis.text, glued)
  if (wanted.length === 0) return 'same'
  const given = [...quantitiesOf(whole.text, glued), ...quantitiesOf(whole.text, written)]
  if (wanted.every((quantity) => isGiven(quantity, given))) return 'same'
  const unsaid = quantitiesOf(local.text, glued).some(({ runs }) => !wanted.some((other) => holds(other.runs, runs)))
  // Right digits with a wrong unit are not missing, but they contradict.
  return unsaid || wanted.every(({ runs }) => given.some((other) => holds(other.runs, runs))) ? 'other' : 'missing'
}

function isGiven({ runs, unit }: Quantity, given: readonly Quantity[]): boolean {
  const same = given.filter((other) => holds(other.runs, runs))
  return same.some((other) => unit === null || other.unit === null || other.unit === unit)
}

function quantitiesOf(text: string, pattern: RegExp): Quantity[] {
  const digits = [...text.matchAll(pattern)].map(({ 0: match, index }) => ({
    runs: match.match(/\p{Nd}+/gu) ?? [],
    unit: unitAfter(text, index + match.length),
  }))
  const spelled = [...text.toLowerCase().matchAll(words)].flatMap(({ 0: word, index }) => {
    const value = cardinalOf(word) ?? 0
    // `one` is usually a pronoun.
    return value < 2 ? [] : [{ runs: [String(value)], unit: unitAfter(text, index + word.length) }]
  })
  return [...digits, ...spelled]
}

function unitAfter(text: string, at: number): string | null {
  const next = /^[\s-]?(?:°\s?)?(%|per cent|\p{L}+)/u.exec(text.slice(at, at + 24))?.[1]?.toLowerCase()
  return next === undefined ? null : unitOf(next.replace(' ', '\u{a0}'))
}

function holds(runs: readonly string[], wanted: readonly string[]): boolean {
  return runs.some((_, from) => wanted.every((run, i) => runs[from + i] === run))
}
