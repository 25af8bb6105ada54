import type { TextColumns } from '../text/text-columns.ts'
import type { WordPlaces } from '../text/word-places.ts'
import { type CountScratch, countSingly } from './count-by-postings.ts'
import { leadsTo } from './count-by-rows.ts'
import type { CountTerms, Pair } from './query-legs.ts'

/** Looks up where each term's words occur: faster than reading the rows, once their words are sorted. */
export function countByPlaces(text: TextColumns, sorted: WordPlaces, scratch: CountScratch): CountTerms {
  scratch.reserve(sorted.rows.length)
  const { current: byPlace, rows, counts } = scratch
  const { positions, places } = sorted

  /** Replaces places by rows and their counts. */
  const take = (found: number): number => {
    for (let i = 0; i < found; i++) {
      const place = rows[i] ?? 0
      rows[i] = sorted.rows[place] ?? 0
      counts[i] = byPlace[place] ?? 0
      byPlace[place] = 0
    }
    return found
  }

  const countWords = (words: Uint32Array): number => {
    if (scratch.words.length <= words.length) scratch.words = new Uint32Array(2 * words.length)
    const occurring = sorted.occurring(words, scratch.words)
    let found = 0
    for (let i = 0; i < occurring; i++) {
      const number = sorted.find(scratch.words[i] ?? 0)
      const end = sorted.start(number + 1)
      for (let at = sorted.start(number); at < end; at++) {
        const place = places[at] ?? 0
        const count = byPlace[place] ?? 0
        // Whether the place is new, the processor cannot guess: a branch would cost more than the rest.
        rows[found] = place
        found += (count - 1) >>> 31
        byPlace[place] = count + 1
      }
    }
    return take(found)
  }

  /** Searches for the pair around the occurrences of one of its stems. */
  const countPair = ({ first, second }: Pair, words: Uint32Array, isFirst: boolean): number => {
    const [stem, other, step] = isFirst ? [first, second, 1] : [second, first, -1]
    const ends = text.tokenEnds.array
    let found = 0
    for (let i = 0; i < words.length; i++) {
      const word = words[i] ?? 0
      const number = text.stemOf.array[word] === stem ? sorted.find(word) : -1
      if (number < 0) continue
      const end = sorted.start(number + 1)
      for (let at = sorted.start(number); at < end; at++) {
        const place = places[at] ?? 0
        const row = sorted.rows[place] ?? 0
        const bound = isFirst ? ends[row] : row === 0 ? 0 : ends[row - 1]
        if (!leadsTo(text, other, positions[at] ?? 0, step, bound ?? 0)) continue
        const count = byPlace[place] ?? 0
        if (count === 0) rows[found++] = place
        byPlace[place] = count + 1
      }
    }
    return take(found)
  }

  return countSingly(scratch, (words, _, pair, isFirst) => (pair ? countPair(pair, words, isFirst) : countWords(words)))
}
