import { LRUCache } from 'lru-cache'
import type { Passage } from '../../../ports/indexes/passages.ts'
import type { Highlight } from '../../../ports/indexes/text-index.ts'
import { bestWindow, worth } from './best-window.ts'
import { passageWords } from './passage-length.ts'
import { queryTerms } from './query-terms.ts'
import { type ReadText, readText } from './read-text.ts'

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
export const findPassage = (query: string, text: string, maxBytes: number, language: string | null = null): Passage =>
  passageIn(readText(text, language), query, maxBytes)

/** The same for a text that was read before. */
export function passageIn(read: ReadText, query: string, maxBytes: number): Passage {
  const { text, keys } = read
  const all = matchesOf(query, read)
  const matches = keys.length > passageWords ? bestWindow(all, keys.length) : all
  const { start, end } =
    Buffer.byteLength(text) <= maxBytes ? { start: 0, end: text.length } : stretch(text, matches, maxBytes)
  const within = matches.filter((match) => match.start >= start && match.end <= end)
  return { start, end, highlights: within.map(({ start, end }) => ({ start, end })) }
}

/** The positions of query words in the text: ascending, never overlapping. */
export const highlights = (query: string, text: string): Highlight[] =>
  matchesOf(query, readText(text, null)).map(({ start, end }) => ({ start, end }))

/** Ascending, never overlapping. */
function matchesOf(query: string, { language, starts, ends, stops, keys, bareKeys }: ReadText): Match[] {
  const { ofStopWords, terms } = wantedTerms(query, language)
  const found: Match[] = []
  for (let word = 0; word < keys.length; word++) {
    if ((stops[word] === 1) !== ofStopWords) continue
    let term = keys[word] ?? ''
    if (!terms.has(term)) {
      term = bareKeys?.[word] ?? ''
      if (!terms.has(term)) continue
    }
    const [start, end] = [starts[word] ?? 0, ends[word] ?? 0]
    const previous = found.at(-1)
    // One character can fold to several words (`½` to 1 and 2), which then share a span.
    if (previous !== undefined && start < previous.end) previous.end = Math.max(previous.end, end)
    else found.push({ start, end, term, word })
  }
  return found
}

interface Wanted {
  ofStopWords: boolean
  terms: ReadonlySet<string>
}

/** Of the latest queries: the hits of a search need the same. */
const latest = new LRUCache<string, Wanted>({ max: 32 })
/** A longer query is not kept. UTF-16 units. */
const keptQuery = 1_000

/** What to look for in texts of a language. */
function wantedTerms(query: string, language: string | null): Wanted {
  const key = `${language} ${query}`
  const known = latest.get(key)
  if (known !== undefined) return known
  const { field, words } = queryTerms(query, { query: null, texts: language === null ? [] : [language] })
  const wanted = { ofStopWords: field === 'stop', terms: new Set(words.flatMap(({ keys }) => keys)) }
  if (query.length <= keptQuery) latest.set(key, wanted)
  return wanted
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
