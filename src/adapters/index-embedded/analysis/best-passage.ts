import type { Highlight } from '../../../ports/indexes/text-index.ts'

/**
 * Words of a passage, stop words included. A longer text is ranked by its best passage, so that neither its length nor
 * what it says elsewhere counts. `npm run bench:long-units` compares lengths.
 */
export const passageWords = 300

/** A match, the query term that it matches, and the number of its word in the text. */
export interface Match extends Highlight {
  term: string
  word: number
}

/** How far a passage begins before its first match. UTF-16 units. */
const lead = 256
/** How much of a passage its lead and a word cut at its end may take. Bytes of UTF-8. */
const edgeBytes = 2_048

/** The best part of a text with these matches in at most `maxBytes` bytes of UTF-8, with some text before its first match. */
export function stretch(text: string, matches: readonly Match[], maxBytes: number): { start: number; end: number } {
  const first = matches[bestFirst(text, matches, maxBytes - edgeBytes)]
  const start = first === undefined ? 0 : leadOf(text, first.start)
  const end = start + fitting(text.slice(start, start + maxBytes), maxBytes)
  return { start, end: Math.max(end < text.length ? wordEnd(text, end) : end, start + 1) }
}

/** Which match begins the best passage within `room` bytes. */
function bestFirst(text: string, matches: readonly Match[], room: number): number {
  const places = byteOffsets(text, matches)
  const reaches = (first: number, next: number) => (places[next]?.end ?? 0) - (places[first]?.start ?? 0) <= room
  return bestRun(matches, reaches, () => 1).first
}

/** The run of matches, as far as each first one reaches, with the most different and heaviest terms; `last` is exclusive. */
function bestRun(
  matches: readonly Match[],
  reaches: (first: number, next: number) => boolean,
  weightOf: (term: string) => number,
): { first: number; last: number } {
  const counts = new Map<string, number>()
  let best = { score: 0, first: 0, last: 0 }
  let [score, last] = [0, 0]
  const count = ({ term }: Match, change: 1 | -1) => {
    const before = counts.get(term) ?? 0
    counts.set(term, before + change)
    score += weightOf(term) * (worth(before + change) - worth(before))
  }
  for (const [first, match] of matches.entries()) {
    for (let next = matches[last]; next !== undefined && reaches(first, last); next = matches[++last]) count(next, 1)
    // Floating-point sums differ in the last digits by the order of addition.
    if (score > best.score + 1e-9) best = { score, first, last }
    if (last > first) count(match, -1)
    else last = first + 1
  }
  return best
}

/** The position of each match in the bytes of the text. */
function byteOffsets(text: string, matches: readonly Match[]): Highlight[] {
  let [units, bytes] = [0, 0]
  const bytesAt = (offset: number) => {
    bytes += Buffer.byteLength(text.slice(units, offset))
    units = offset
    return bytes
  }
  return matches.map(({ start, end }) => ({ start: bytesAt(start), end: bytesAt(end) }))
}

/** A position some way before a match, after a blank. */
function leadOf(text: string, match: number): number {
  const from = Math.max(0, match - lead)
  if (from === 0) return 0
  const blank = text.slice(from, match).search(/\s/u)
  return blank < 0 ? match : from + blank + 1
}

/** How many UTF-16 units of a text fit in this number of bytes; never half a character. */
const fitting = (text: string, bytes: number): number => new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read

/** The last blank before an end, unless it is far away. */
function wordEnd(text: string, end: number): number {
  const back = /\s\S{0,128}$/u.exec(text.slice(Math.max(0, end - 129), end + 1))
  return back === null ? end : Math.min(end, end + 1 - back[0].length)
}

/** How much a term with this number of mentions counts: below 1. */
const worth = (times: number): number => times / (times + 1)

/**
 * The matches in the best passage of a text with this number of words. Each further mention of a term counts less, and a term that
 * stands everywhere in the text counts little. Of equal passages the first one wins.
 */
export function bestWindow(matches: readonly Match[], words: number): Match[] {
  const weights = weightsOf(matches, words)
  const reaches = (first: number, next: number) =>
    (matches[next]?.word ?? 0) < (matches[first]?.word ?? 0) + passageWords
  const { first, last } = bestRun(matches, reaches, (term) => weights.get(term) ?? 0)
  return matches.slice(first, last)
}

/** ln(1 + (n - df + .5)/(df + .5)) over the halves of passages in the text. */
function weightsOf(matches: readonly Match[], words: number): Map<string, number> {
  const length = passageWords / 2
  const parts = Math.ceil(words / length)
  const held = new Map<string, Set<number>>()
  for (const { term, word } of matches) {
    held.set(term, (held.get(term) ?? new Set()).add(Math.floor(word / length)))
  }
  return new Map([...held].map(([term, { size }]) => [term, Math.log(1 + (parts - size + 0.5) / (size + 0.5))]))
}
