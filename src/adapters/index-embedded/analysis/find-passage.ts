import { LRUCache } from 'lru-cache'
import type { Passage } from '../../../ports/indexes/passages.ts'
import type { Highlight, Sought } from '../../../ports/indexes/text-index.ts'
import { analyseNames } from './analyse.ts'
import { bestWindow, type Match, passageWords, stretch } from './best-passage.ts'
import { languageOfText, possibleLanguages } from './detect-language.ts'
import { phraseFinder } from './find-phrases.ts'
import { ascii, fold } from './fold.ts'
import {
  bareKey,
  isWholeKey,
  joinedKey,
  outKey,
  plainKey,
  stemKey,
  stopWords,
  typedForms,
  wholeKey,
  writtenIn,
} from './lexemes.ts'
import { type Morphology, morphologyOf, stem } from './morphology.ts'
import { queryTerms } from './query-terms.ts'
import { isLike, mayBeLike, minPart } from './similar-words.ts'

/**
 * A text as it is read to mark the words of any query. Words are numbered; flat lists take a tenth of
 * the memory of an object for each.
 */
interface ReadText {
  text: string
  /** ISO 639, or null if it is unknown. */
  language: string | null
  /** By word: its position in the text, UTF-16 offsets, `ends` exclusive; and 1 for a stop word. */
  starts: Uint32Array
  ends: Uint32Array
  stops: Uint8Array
  /** By word: the key by which a query finds it. */
  keys: readonly string[]
  /** By word: another key by which it is found, for those that have one. */
  otherKeys: ReadonlyMap<number, string>
}

/** @param given the language of the text: ISO 639, or null to tell it from the text */
function readText(text: string, given: string | null): ReadText {
  const language = given ?? languageOfText(text)
  const morphology = morphologyOf(language)
  const tokens = analyseNames(text)
  const { length } = tokens
  const [starts, ends, stops] = [new Uint32Array(length), new Uint32Array(length), new Uint8Array(length)]
  const keys: string[] = []
  const otherKeys = new Map<number, string>()
  for (const [i, token] of tokens.entries()) {
    const { word, start, end, kind } = token
    const written = writtenIn(token, text, morphology)
    const isStop = kind !== 'whole' && written === null && stopWords.has(word)
    starts[i] = start
    ends[i] = end
    stops[i] = isStop ? 1 : 0
    keys.push(kind === 'whole' ? wholeKey(word) : isStop ? plainKey(word) : keyOf(word, written, morphology))
    if (kind !== 'whole' && morphology?.keepsMarks && written !== null) otherKeys.set(i, bareKey(written, morphology))
    else {
      const other =
        kind === 'whole'
          ? joinedKey(word)
          : outKey(written ?? text.slice(start, end), written === null ? null : morphology)
      if (other !== null) otherKeys.set(i, other)
    }
  }
  return { text, language, starts, ends, stops, keys, otherKeys }
}

const keyOf = (word: string, written: string | null, morphology: Morphology | null): string =>
  morphology === null || written === null ? plainKey(stem(word)) : stemKey(written, morphology)

/** After this much text, all is read again. UTF-16 units; what is known of it takes five to ten times as many bytes. */
const maxKept = 2 ** 20

/** Reads the text of each Unit once, as long as the Unit itself is kept in memory. */
export function createTextReader(): (unit: object, text: string, given: string | null) => ReadText {
  let known = new WeakMap<object, ReadText>()
  let kept = 0
  return (unit, text, given) => {
    const found = known.get(unit)
    if (found !== undefined) return found
    if (kept > maxKept) {
      known = new WeakMap()
      kept = 0
    }
    const read = readText(text, given)
    known.set(unit, read)
    kept += text.length
    return read
  }
}

/**
 * The passage of at most `maxBytes` bytes of UTF-8 that matches the query best, and the positions of query words in it;
 * the whole text if it is no longer than that. Each further mention of a term counts less, so that several terms score
 * more than one repeated term. Of equal passages the first one wins. In a long text only the words of its best passage
 * are marked, by which it is ranked. Offsets are those of the text. Pure.
 *
 * @param language of the text: ISO 639, or null to tell it from the text
 */
export const findPassage = (query: Sought, text: string, maxBytes: number, language: string | null = null): Passage =>
  passageIn(readText(text, language), query, maxBytes)

/** The same for a text that was read before. */
export function passageIn(read: ReadText, query: Sought, maxBytes: number): Passage {
  const { text, keys } = read
  const wanted = wantedTerms(query, read.language)
  const exact = matchesOf(wanted, read)
  const similar = similarTo(wanted, read, exact)
  const all = exact.length > 0 ? exact : similar
  const isLong = keys.length > passageWords
  const matches = isLong ? bestWindow(all, keys.length) : all
  const { start, end } =
    Buffer.byteLength(text) <= maxBytes ? { start: 0, end: text.length } : stretch(text, matches, maxBytes)
  const first = matches[0]?.word ?? 0
  const near = isLong ? similar.filter(({ word }) => word >= first && word < first + passageWords) : similar
  const within = [...matches, ...near].filter((match) => match.start >= start && match.end <= end)
  const phrases = phrasesOf(query, text).filter((place) => place.start >= start && place.end <= end)
  return { start, end, highlights: merged([...within, ...phrases]) }
}

/** Titles that were read: those of hits come again. What is known of one takes about a kilobyte. */
const titles = new LRUCache<string, ReadText>({ max: 1_000 })
/** A longer text is not kept. UTF-16 units. */
const keptTitle = 200

/** The positions of query words in a title: ascending, never overlapping. */
export function highlights(query: Sought, text: string): Highlight[] {
  const read = titles.get(text) ?? readText(text, null)
  if (text.length <= keptTitle) titles.set(text, read)
  const wanted = wantedTerms(query, read.language)
  const exact = matchesOf(wanted, read)
  return merged([...exact, ...similarTo(wanted, read, exact), ...phrasesOf(query, text)])
}

/** The words that stand for words of the query which the text has in no form: with a typo, or in a compound. */
function similarTo({ spelled }: Wanted, read: ReadText, exact: readonly Match[]): Match[] {
  const { text, starts, ends, stops, keys } = read
  const held = new Set(exact.map(({ term }) => term))
  const missing = spelled.filter((word) => !word.keys.some((key) => held.has(key)))
  const found: Match[] = []
  if (missing.length === 0) return found
  const plain = ascii.test(text) ? text.toLowerCase() : null
  const asked = missing.map(({ letters }) => ({ letters, isWithin: plain?.includes(letters) === true }))
  for (let word = 0; word < keys.length; word++) {
    if (stops[word] === 1 || isWholeKey(keys[word] ?? '')) continue
    // A pair of both would be an array for each word of a hit.
    const start = starts[word] ?? 0
    const end = ends[word] ?? 0
    if (end - start < minPart) continue
    let written: string | undefined
    for (const { letters, isWithin } of asked) {
      if (plain !== null && !mayBeLike(letters, isWithin, plain, start, end)) continue
      written ??= plain?.slice(start, end) ?? fold(text.slice(start, end)).text
      if (!isLike(letters, written)) continue
      found.push({ start, end, term: letters, word })
      break
    }
  }
  return found
}

const phrasesOf = ({ phrases = [] }: Sought, text: string): Highlight[] => phraseFinder(phrases)(text).flat()

/** In their order; those that overlap are one. */
function merged(places: readonly Highlight[]): Highlight[] {
  const found: Highlight[] = []
  for (const { start, end } of places.toSorted((a, b) => a.start - b.start)) {
    const previous = found.at(-1)
    if (previous !== undefined && start < previous.end) previous.end = Math.max(previous.end, end)
    else found.push({ start, end })
  }
  return found
}

/** Whether a text has one of some words, in any form of a language that it may be in: `YouTube` is not its parts. */
export const hasForm = (words: readonly string[]) => (text: string, language: string | null) => {
  if (words.length === 0) return false
  return (language === null ? possibleLanguages(text) : [language]).some((possible) => {
    const read = readText(text, possible ?? 'en')
    return words.some((word) => matchesOf(wantedTerms({ text: word.toLowerCase() }, read.language), read).length > 0)
  })
}

/** Ascending, never overlapping. */
function matchesOf(
  { ofStopWords, terms, beginnings, synonyms }: Wanted,
  { text, starts, ends, stops, keys, otherKeys }: ReadText,
): Match[] {
  const begins = (word: number) => {
    if (beginnings.length === 0) return false
    const forms = typedForms(text.slice(starts[word], ends[word]))
    return beginnings.some((beginning) => forms.some((form) => form.startsWith(beginning)))
  }
  const found: Match[] = []
  const add = (word: number, term: string) => {
    const start = starts[word] ?? 0
    const end = ends[word] ?? 0
    const previous = found.at(-1)
    // One character can fold to several words (`½` to 1 and 2), which then share a span.
    if (previous !== undefined && start < previous.end) previous.end = Math.max(previous.end, end)
    else found.push({ start, end, term, word })
  }
  const isOneOf = (word: number, wanted: ReadonlySet<string> | undefined) =>
    wanted !== undefined && (wanted.has(keys[word] ?? '') || wanted.has(otherKeys.get(word) ?? ''))
  /** The words of a synonym that begins with a word, if its others follow apart from stop words and names. */
  const sequenceAt = (first: number, parts: readonly ReadonlySet<string>[]): number[] => {
    if (!isOneOf(first, parts[0])) return []
    const held = [first]
    for (let word = first + 1; held.length < parts.length; word++) {
      if (word === keys.length) return []
      if (isOneOf(word, parts[held.length])) held.push(word)
      else if (stops[word] !== 1 && !isWholeKey(keys[word] ?? '')) return []
    }
    return held
  }
  const open = new Set<number>()
  for (let word = 0; word < keys.length; word++) {
    // Even over an empty list, a loop makes an iterator for each word.
    if (synonyms.length > 0) for (const parts of synonyms) for (const one of sequenceAt(word, parts)) open.add(one)
    if (open.delete(word)) {
      add(word, keys[word] ?? '')
      continue
    }
    if ((stops[word] === 1) !== ofStopWords) continue
    let term = keys[word] ?? ''
    if (!terms.has(term)) {
      const other = otherKeys.get(word)
      if ((other === undefined || !terms.has(other)) && !begins(word)) continue
      term = other ?? ''
    }
    add(word, term)
  }
  return found
}

interface Wanted {
  ofStopWords: boolean
  terms: ReadonlySet<string>
  /** Of words that the last one stands for. */
  beginnings: readonly string[]
  /** By word of each, its keys. */
  synonyms: readonly (readonly ReadonlySet<string>[])[]
  /** Words, but for stop words: folded, and the keys of each. */
  spelled: readonly { letters: string; keys: readonly string[] }[]
}

/** Of the latest queries: the hits of a search need the same. */
const latest = new LRUCache<string, Wanted>({ max: 32 })
/** A longer query is not kept. UTF-16 units. */
const keptQuery = 1_000

/** What to look for in texts of a language. */
function wantedTerms(sought: Sought, language: string | null): Wanted {
  const { text: query, isOpen = false, synonyms: standing = [] } = sought
  const key = `${language} ${isOpen} ${standing.length > 0 ? JSON.stringify(standing) : ''} ${query}`
  const known = latest.get(key)
  if (known !== undefined) return known
  const languages = { query: null, texts: language === null ? [] : [language] }
  const { field, words, open, synonyms } = queryTerms(sought, languages)
  const terms = new Set(words.flatMap(({ keys }) => keys))
  const wanted = {
    ofStopWords: field === 'stop',
    terms,
    beginnings: open.map(({ beginning }) => beginning),
    synonyms: synonyms.map(({ parts }) => parts.map((keys) => new Set(keys))),
    spelled: words.flatMap(({ kind, letters, keys }) => (kind === 'word' && field === 'word' ? { letters, keys } : [])),
  }
  if (key.length <= keptQuery) latest.set(key, wanted)
  return wanted
}
