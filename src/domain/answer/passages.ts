import type { Hit } from '../../model/search.ts'
import type { Passage } from '../../ports/answer-writer.ts'

/** A passage, and where in which hit it stands. */
export interface HitPassage extends Passage {
  hit: Hit
  /** Of its first character in the hit's text. */
  offset: number
}

/** An answer looks at so many hits, and at so much of each: texts may be a megabyte long. UTF-16 units. */
const mostHits = 20
const longestPassage = 6_000
/** Room before the first word that matches. */
const lead = 600

/** What the writer may see: the best hits' texts, of long ones the stretch where most words of the question stand. */
export function passagesOf(hits: readonly Hit[]): HitPassage[] {
  return hits.slice(0, mostHits).flatMap((hit) => {
    const text = hit.text ?? ''
    const { start, end } =
      text.length <= longestPassage ? { start: 0, end: text.length } : densest(text, hit.highlights)
    return text.slice(start, end).trim() === ''
      ? []
      : [{ hit, offset: start, text: text.slice(start, end), score: wordScore(hit) }]
  })
}

/** A vector can be near to any question: only words tell that the question is spoken of. */
const wordScore = ({ explain }: Hit): number => explain.find(({ leg }) => leg === 'text')?.score ?? 0

/** The window with the most matches, cut at white space. */
function densest(text: string, matches: Hit['highlights']): { start: number; end: number } {
  let best = { count: 0, first: 0 }
  for (let first = 0, last = 0; first < matches.length; first++) {
    const from = matches[first]?.start ?? 0
    while (last < matches.length && (matches[last]?.end ?? 0) <= from + longestPassage - lead) last++
    if (last - first > best.count) best = { count: last - first, first: from }
  }
  const start = best.first <= lead ? 0 : behindSpace(text, best.first - lead, best.first)
  return { start, end: beforeSpace(text, start + longestPassage - lead, Math.min(text.length, start + longestPassage)) }
}

function behindSpace(text: string, from: number, latest: number): number {
  for (let at = from; at < latest; at++) if (/\s/u.test(text[at] ?? '')) return at + 1
  return latest
}

function beforeSpace(text: string, earliest: number, from: number): number {
  if (from === text.length) return from
  for (let at = from; at > earliest; at--) if (/\s/u.test(text[at] ?? '')) return at
  const isTail = (text.charCodeAt(from) & 0xfc00) === 0xdc00
  return isTail ? from - 1 : from
}
