import type { Hit } from '../../model/search.ts'
import type { Passage } from '../../ports/models/answer-writer.ts'
import { type Span, sentences } from '../text/sentences.ts'

/** A passage and its position in its hit. */
export interface HitPassage extends Passage {
  hit: Hit
  /** Offset of its first character in the hit's text. */
  offset: number
}

/** Limits of an answer: hits, text per hit, and text in all; texts may be a megabyte long. UTF-16 units. */
const maxHits = 20
const maxText = 40_000
const maxFirstText = 30_000
const longestPassage = 6_000
/** Text kept before the first matching word. */
const lead = 600

/**
 * The texts of the best hits, for the writer. A long text is cut to the part with the most words of the question. Those
 * after the first `own` are of further searches.
 */
export function passagesOf(hits: readonly Hit[], own = hits.length, maxRead = maxHits): HitPassage[] {
  const passages: HitPassage[] = []
  let read = 0
  const further = hits.slice(own)
  const first = hits.slice(0, Math.min(own, maxRead - further.length))
  for (const [i, hit] of [...first, ...further].slice(0, maxRead).entries()) {
    const isFurther = i >= first.length
    // What further searches found finds room, however long the texts before are.
    if (read >= (isFurther || further.length === 0 ? maxText : maxFirstText)) continue
    const text = hit.text ?? ''
    const { start, end } =
      text.length <= longestPassage ? { start: 0, end: text.length } : densest(text, hit.highlights)
    const passage = {
      hit,
      offset: start,
      text: text.slice(start, end),
      title: hit.title,
      score: wordScore(hit),
      followUp: isFurther,
    }
    if (passage.text.trim() !== '') passages.push(passage)
    read += end - start
  }
  return passages
}

/** A vector can be close to any question: only words show that the text is about it. */
const wordScore = ({ explain }: Hit): number => explain.find(({ leg }) => leg === 'text')?.score ?? 0

/** The window with the most matches, without the sentences that its edges cut: half a sentence may say the opposite. */
function densest(text: string, matches: Hit['highlights']): Span {
  let best = { count: 0, first: 0 }
  for (let first = 0, last = 0; first < matches.length; first++) {
    const from = matches[first]?.start ?? 0
    while (last < matches.length && (matches[last]?.end ?? 0) <= from + longestPassage - lead) last++
    if (last - first > best.count) best = { count: last - first, first: from }
  }
  const start = Math.max(0, best.first - lead)
  const end = Math.min(text.length, start + longestPassage)
  const within = sentences(text.slice(start, end))
  const whole = within.slice(start > 0 ? 1 : 0, end < text.length ? -1 : undefined)
  return { start: start + (whole[0]?.start ?? 0), end: start + (whole.at(-1)?.end ?? 0) }
}
