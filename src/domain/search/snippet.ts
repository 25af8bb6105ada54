import type { Snippet } from '../../model/search.ts'
import type { Passage } from '../../ports/indexes/passages.ts'

/** How much of a snippet stands before its first match, at most. */
const leadShare = 4
/** How far its ends move to whole words. UTF-16 units. */
const wordLength = 24
const maxHighlights = 100

/**
 * The part of a text, of at most `length` UTF-16 units, that has the most different words of the passage's highlights; of equals
 * the first one. It begins and ends between words where they are short, and never within a character.
 */
export function snippetOf(text: string, { start, highlights }: Passage, length: number): Snippet {
  const from = text.length <= length ? 0 : beginning(text, startOf(text, start, highlights, length), length)
  const to = Math.min(text.length, from + length)
  const end = to === text.length ? to : ending(text, from, to)
  const within = highlights.filter((match) => match.start >= from && match.end <= end).slice(0, maxHighlights)
  return {
    text: text.slice(from, end),
    start: from,
    highlights: within.map((match) => ({ start: match.start - from, end: match.end - from })),
  }
}

/** Where the matches of the best part begin, less its lead. */
function startOf(text: string, start: number, highlights: Passage['highlights'], length: number): number {
  const words = highlights.map((match) => text.slice(match.start, match.end).toLowerCase())
  const held = new Map<string, number>()
  let [best, first, next] = [0, highlights[0], 0]
  for (const [i, match] of highlights.entries()) {
    const isIn = (end: number | undefined) =>
      end !== undefined && end - match.start <= length - Math.floor(length / leadShare)
    for (; isIn(highlights[next]?.end); next++) held.set(words[next] ?? '', (held.get(words[next] ?? '') ?? 0) + 1)
    if (held.size > best) [best, first] = [held.size, match]
    const left = (held.get(words[i] ?? '') ?? 0) - 1
    if (left > 0) held.set(words[i] ?? '', left)
    else held.delete(words[i] ?? '')
    next = Math.max(next, i + 1)
  }
  return first === undefined ? start : first.start - Math.floor(length / leadShare)
}

function beginning(text: string, wanted: number, length: number): number {
  const from = Math.max(0, Math.min(wanted, text.length - length))
  if (from === 0 || /\s/.test(text[from - 1] ?? '')) return from
  const space = text.slice(from, from + Math.min(wordLength, length / leadShare)).search(/\s\S/)
  return space >= 0 ? from + space + 1 : from + Number(isSecondHalf(text, from))
}

function ending(text: string, from: number, to: number): number {
  if (/\s/.test(text[to] ?? '')) return to
  const least = Math.max(from + Math.floor((to - from) / 2), to - wordLength)
  const space = text.slice(least, to).search(/\s\S*$/)
  return space >= 0 ? least + space : to - Number(isSecondHalf(text, to))
}

/** Of a character that two UTF-16 units write. */
const isSecondHalf = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff
}
