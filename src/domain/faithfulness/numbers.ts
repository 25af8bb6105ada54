import type { Reading } from './reading.ts'

/** A number as the runs of digits that it is written with, so that `36,000` is found in `36, 000` too. */
interface Quantity {
  runs: readonly string[]
  unit: string | null
}

/** Without `one`, which is a pronoun more often. */
const numerals = new Map(
  'two three four five six seven eight nine ten eleven twelve'.split(' ').map((word, i) => [word, `${i + 2}`]),
)

/** Spellings of one unit; different units on the same number contradict each other. */
const units = new Map(
  [
    '% percent per\u{a0}cent pct',
    'km kilometre kilometres kilometer kilometers',
    'mile miles mi',
    'm metre metres meter meters',
    'ft foot feet',
    'cm centimetre centimetres centimeter centimeters',
    'mm millimetre millimetres millimeter millimeters',
    'kg kilo kilos kilogram kilograms',
    'g gram grams',
    'mg milligram milligrams',
    'lb lbs',
    'tonne tonnes ton tons',
    'litre litres liter liters',
    'second seconds',
    'ms millisecond milliseconds',
    'minute minutes min',
    'hour hours',
    'day days',
    'week weeks',
    'month months',
    'year years',
    'thousand',
    'million',
    'billion',
    'trillion',
    'dollar dollars usd',
    'euro euros eur',
    'c celsius',
    'f fahrenheit',
    'am',
    'pm',
    'kw kilowatt kilowatts',
    'mw megawatt megawatts',
    'v volt volts',
    'mb megabyte megabytes',
    'gb gigabyte gigabytes',
    'tb terabyte terabytes',
  ].flatMap((line) => line.split(' ').map((word) => [word, line.split(' ')[0] ?? ''] as const)),
)

/** Digits of any script, with separators between them; tokenisers tear numbers from their separators. */
const written = /\p{Nd}+(?:(?:\s?[.,:/-]\s?|\s)\p{Nd}+)*/gu
const glued = /\p{Nd}+(?:[.,:/-]\p{Nd}+)*/gu
const words = /\p{L}+/gu

/** What the evidence says of the hypothesis's numbers: each of them, others instead, or nothing of some. */
export type NumberVerdict = 'same' | 'other' | 'missing'

/** `local` is the sentence that the hypothesis is held against, `whole` all of the evidence. */
export function compareNumbers(hypothesis: Reading, local: Reading, whole: Reading): NumberVerdict {
  const wanted = quantitiesOf(hypothesis.text, glued)
  if (wanted.length === 0) return 'same'
  const given = [...quantitiesOf(whole.text, glued), ...quantitiesOf(whole.text, written)]
  if (wanted.every((quantity) => isGiven(quantity, given))) return 'same'
  const unsaid = quantitiesOf(local.text, glued).some(({ runs }) => !wanted.some((other) => holds(other.runs, runs)))
  // Right digits with a wrong unit leave nothing unsaid, and contradict all the same.
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
    const value = numerals.get(word)
    return value === undefined ? [] : [{ runs: [value], unit: unitAfter(text, index + word.length) }]
  })
  return [...digits, ...spelled]
}

function unitAfter(text: string, at: number): string | null {
  const next = /^[\s-]?(?:°\s?)?(%|per cent|\p{L}+)/u.exec(text.slice(at, at + 24))?.[1]?.toLowerCase()
  return next === undefined ? null : (units.get(next.replace(' ', '\u{a0}')) ?? null)
}

function holds(runs: readonly string[], wanted: readonly string[]): boolean {
  return runs.some((_, from) => wanted.every((run, i) => runs[from + i] === run))
}
