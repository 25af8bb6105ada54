import type { Passage } from '../../../ports/indexes/passages.ts'
import type { Highlight } from '../../../ports/indexes/text-index.ts'
import { analyse } from './analyse.ts'
import { bestWindow, worth } from './best-window.ts'
import { languageOfText } from './languages/detect-language.ts'
import { bareKey, stemKey, writtenIn } from './lexemes.ts'
import { type Morphology, morphologyOf } from './morphology.ts'
import { passageWords } from './passage-length.ts'
import { queryTerms } from './query-terms.ts'
import { stem } from './stem.ts'
import { stopWords } from './stop-words.ts'

/** A match, the query term that it matches, and the number of its word in the text. */
interface Match extends Highlight {
  term: string
  word: number
}

/** How far a passage begins before its first match. UTF-16 units. */
const lead = 256
/** What a passage may lose to its lead, and to a word cut at its end. Bytes of UTF-8. */
const edgeBytes = 2_048

/**
 * The passage of at most `maxBytes` bytes of UTF-8 that matches the query best, and the positions of query words in it;
 * the whole text if it is no longer than that. Each further mention of a term counts less, so that several terms score
 * more than one repeated term. Of equal passages the first one wins. In a long text only the words of its best passage
 * are marked, by which it is ranked. Offsets are those of the text. Pure.
 *
 * @param language of the text: ISO 639, or null to tell it from the text
 */
export function findPassage(query: string, text: string, maxBytes: number, language: string | null = null): Passage {
  const { matches: all, words } = matchesOf(query, text, language)
  const matches = words > passageWords ? bestWindow(all, words) : all
  const { start, end } =
    Buffer.byteLength(text) <= maxBytes ? { start: 0, end: text.length } : stretch(text, matches, maxBytes)
  const within = matches.filter((match) => match.start >= start && match.end <= end)
  return { start, end, highlights: within.map(({ start, end }) => ({ start, end })) }
}

/** The positions of query words in the text: ascending, never overlapping. */
export const highlights = (query: string, text: string): Highlight[] =>
  matchesOf(query, text, null).matches.map(({ start, end }) => ({ start, end }))

/** Ascending, never overlapping; and the number of words in the text. */
function matchesOf(query: string, text: string, given: string | null): { matches: Match[]; words: number } {
  const language = given ?? languageOfText(text)
  const morphology = morphologyOf(language)
  const { field, words } = queryTerms(query, { query: null, texts: language === null ? [] : [language] })
  const terms = new Set(words.flatMap(({ keys }) => keys))
  const found: Match[] = []
  const tokens = analyse(text)
  for (const [word, token] of tokens.entries()) {
    const written = writtenIn(token, text, morphology)
    const stop = written === null && stopWords.has(token.word)
    if (stop !== (field === 'stop')) continue
    const term = keysOf(token.word, stop, written, morphology).find((key) => terms.has(key))
    if (term === undefined) continue
    const previous = found.at(-1)
    // One character can fold to several words (`½` to 1 and 2), which then share a span.
    if (previous !== undefined && token.start < previous.end) previous.end = Math.max(previous.end, token.end)
    else found.push({ start: token.start, end: token.end, term, word })
  }
  return { matches: found, words: tokens.length }
}

function keysOf(word: string, stop: boolean, written: string | null, morphology: Morphology | null): string[] {
  if (stop) return [word]
  if (morphology === null || written === null) return [stem(word)]
  const own = stemKey(written, morphology)
  return morphology.keepsMarks ? [own, bareKey(written, morphology)] : [own]
}

function stretch(text: string, matches: readonly Match[], maxBytes: number): { start: number; end: number } {
  const first = matches[bestFirst(text, matches, maxBytes - edgeBytes)]
  const start = first === undefined ? 0 : leadOf(text, first.start)
  const end = start + fitting(text.slice(start, start + maxBytes), maxBytes)
  return { start, end: Math.max(end < text.length ? wordEnd(text, end) : end, start + 1) }
}

/** Which match begins the best passage within `room` bytes. */
function bestFirst(text: string, matches: readonly Match[], room: number): number {
  const counts = new Map<string, number>()
  const ends = byteOffsets(text, matches)
  let best = { score: 0, first: 0 }
  let score = 0
  const count = (match: Match | undefined, change: 1 | -1) => {
    if (match === undefined) return
    const before = counts.get(match.term) ?? 0
    counts.set(match.term, before + change)
    score += worth(before + change) - worth(before)
  }
  for (let first = 0, last = 0; first < matches.length; first++) {
    const from = ends[first]?.start ?? 0
    while (last < matches.length && (ends[last]?.end ?? 0) - from <= room) count(matches[last++], 1)
    // Floating-point sums differ in the last digits by the order of addition.
    if (score > best.score + 1e-9) best = { score, first }
    if (last > first) count(matches[first], -1)
    else last = first + 1
  }
  return best.first
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
