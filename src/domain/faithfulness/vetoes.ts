import { cardinalOf } from '../text/numbers.ts'
import type { Reading } from './tokens.ts'
import { unitOf } from './word-classes.ts'

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
type NumberVerdict = 'same' | 'other' | 'missing'

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

/** Words that exclude each other; forms of one word are joined by `/`. English; other languages only lose this veto. */
const groups = `
  increase/increases/increased/increasing/rise/rises/rose/rising/grow/grows/grew/growing decrease/decreases/decreased/decreasing/fall/falls/fell/falling/decline/declines/declined/declining/shrink/shrinks/shrank/shrinking
  warm/warms/warmed/warming/warmer cool/cools/cooled/cooling/cooler
  hot cold
  up down
  open/opens/opened/opening close/closes/closed/closing
  more less/fewer
  before after
  large/big small/little
  win/wins/won/winning lose/loses/lost/losing
  accept/accepts/accepted approve/approves/approved reject/rejects/rejected
  support/supports/supported oppose/opposes/opposed
  inside/indoors outside/outdoors
  buy/buys/bought/buying sell/sells/sold/selling
  start/starts/started/begin/begins/began stop/stops/stopped end/ends/ended
  high/higher low/lower
  long/longer short/shorter
  young/younger old/older
  man/men woman/women
  boy/boys girl/girls
  male female
  alive dead
  empty full
  wet dry
  fast/faster slow/slower
  true false
  guilty innocent
  gain/gains/gained loss/losses
  add/adds/added remove/removes/removed
  arrive/arrives/arrived depart/departs/departed leave/leaves/left
  early/earlier late/later
  positive negative
  minimum maximum
  allow/allows/allowed forbid/forbids/forbade/prohibit/prohibits/prohibited
  enable/enables/enabled disable/disables/disabled
  north/northern south/southern east/eastern west/western
  black white red green blue yellow brown orange purple pink grey/gray
  monday tuesday wednesday thursday friday saturday sunday
  january february march april june july august september october november december
  all none
  always never`

const groupOf = new Map<string, { group: number; member: number }>()
for (const [group, line] of groups.trim().split('\n').entries()) {
  for (const [member, forms] of line.trim().split(' ').entries()) {
    for (const form of forms.split('/')) if (!groupOf.has(form)) groupOf.set(form, { group, member })
  }
}

/** Whether the hypothesis uses one such word where the evidence uses another instead. */
export function contradictsByContrast(hypothesis: Reading, evidence: Reading): boolean {
  const [here, there] = [membersOf(hypothesis), membersOf(evidence)]
  for (const [group, members] of here) {
    const others = there.get(group)
    if (others && [...members].every((member) => !others.has(member))) return true
  }
  return false
}

function membersOf({ words }: Reading): Map<number, Set<number>> {
  const members = new Map<number, Set<number>>()
  for (const { word } of words) {
    const known = groupOf.get(word)
    if (known) members.set(known.group, (members.get(known.group) ?? new Set()).add(known.member))
  }
  return members
}
