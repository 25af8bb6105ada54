import { sentences } from '../text/sentences.ts'
import type { Reading } from './reading.ts'
import { type Claimed, keyOf } from './words.ts'

/** What it costs to continue at another place than the next word, in content words. */
const costs = { forward: 0.15, backward: 0.4, neighbour: 0.5, elsewhere: 0.8 }
const stopWeight = 0.3
const nameWeight = 1.2
/** Of a longer claim only the first words count; a sentence has fewer. */
const maxWords = 128
const never = Number.NEGATIVE_INFINITY

/**
 * How well one passage says the claim in its order, 0..1: the best alignment of the claim's words with the evidence, by
 * dynamic programming (as in Needleman and Wunsch 1970, with jumps). Each aligned word counts; each jump costs, the more
 * the farther it leads: ahead in the sentence, back in it, to a neighbour, elsewhere. So what is put together from
 * several places counts less than what is said in one. Time: words of the claim x words of the evidence.
 */
export function alignmentWith(all: readonly Claimed[], evidence: Reading): number {
  const claim = all.slice(0, maxWords)
  const weights = claim.map(({ stop, isName }) => (stop ? stopWeight : isName ? nameWeight : 1))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  if (total === 0) return 0
  const places = Map.groupBy(evidence.words.keys(), (at) => keyOf(evidence.words[at]))
  const sentenceOf = sentenceNumbers(evidence)
  /** The best alignment so far that ends at each word of the evidence. */
  let ending = new Float64Array(evidence.words.length).fill(never)
  for (const [i, { key }] of claim.entries()) {
    const found = places.get(key)
    if (found) ending = extended(ending, found, sentenceOf, weights[i] ?? 0)
  }
  return ending.reduce((best, value) => Math.max(best, value), 0) / total
}

function extended(
  ending: Float64Array<ArrayBuffer>,
  found: readonly number[],
  sentenceOf: Uint32Array,
  weight: number,
): Float64Array<ArrayBuffer> {
  const bySentence = new Float64Array((sentenceOf.at(-1) ?? 0) + 1).fill(never)
  let anywhere = 0
  for (let at = 0; at < ending.length; at++) {
    const [value, sentence] = [ending[at] ?? never, sentenceOf[at] ?? 0]
    if (value > (bySentence[sentence] ?? never)) bySentence[sentence] = value
    if (value > anywhere) anywhere = value
  }
  const next = ending.slice()
  let [at, ahead, open] = [0, never, -1]
  for (const place of found) {
    const sentence = sentenceOf[place] ?? 0
    if (sentence !== open) {
      open = sentence
      ahead = never
      while ((sentenceOf[at] ?? sentence) < sentence) at += 1
    }
    for (; at < place; at++) ahead = Math.max(ahead, ending[at] ?? never)
    const before = Math.max(
      // The first word that is aligned.
      0,
      sentenceOf[place - 1] === sentence ? (ending[place - 1] ?? never) : never,
      ahead - costs.forward,
      (bySentence[sentence] ?? never) - costs.backward,
      Math.max(bySentence[sentence - 1] ?? never, bySentence[sentence + 1] ?? never) - costs.neighbour,
      anywhere - costs.elsewhere,
    )
    next[place] = Math.max(next[place] ?? never, before + weight)
  }
  return next
}

/** The sentence of each word. */
function sentenceNumbers({ text, words }: Reading): Uint32Array {
  const ends = sentences(text).map(({ end }) => end)
  let sentence = 0
  return Uint32Array.from(words, ({ start }) => {
    while (sentence + 1 < ends.length && start >= (ends[sentence] ?? 0)) sentence += 1
    return sentence
  })
}
