import type { Word } from '../../ports/indexes/text-analysis.ts'
import { sentences } from '../text/sentences.ts'
import { likeness } from '../text/words.ts'
import type { Reading } from './tokens.ts'
import { compareNumbers, contradictsByContrast, contradictsByNegation } from './vetoes.ts'
import { irregularBase } from './word-classes.ts'

/** What speaks for support, each 0..1, and what speaks against it, each 0 or 1. */
const weights = {
  /** One passage says it, in its order. */
  aligned: 0.4,
  /** The share of its words that the evidence has, counting repetitions (ROUGE-1 precision over stems, Lin 2004). */
  words: 0.6,
  /** The share of its content words that the evidence has in some form or spelling. Names and numbers count more. */
  content: 0.45,
  negated: -0.9,
  otherNumber: -0.7,
  contrast: -0.3,
}
const nameWeight = 1.5
/** How much a spelling or form of a word counts. */
const alikeWeight = 0.7
/** Grade of a quote. */
export const fullGrade = weights.aligned + weights.words + weights.content

/**
 * How well the evidence supports a claim, about -2..`fullGrade`. `local` is the sentence of the evidence that speaks of
 * it. The weights were chosen for collections together, and each was tested on weights chosen without it.
 */
export function grade(said: Reading, local: Reading, whole: Reading): number {
  const claim = claimedIn(said)
  if (claim.length === 0) return 0
  const present = whole.words.map(keyOf)
  return (
    weights.aligned * alignmentWith(claim, whole) +
    weights.words * sharePresent(claim, present) +
    weights.content * contentShare(claim, new Set(present)) +
    (contradictsByNegation(said, local) ? weights.negated : 0) +
    (compareNumbers(said, local, whole) === 'other' ? weights.otherNumber : 0) +
    (contradictsByContrast(said, local) ? weights.contrast : 0)
  )
}

function sharePresent(claim: readonly Claimed[], present: readonly string[]): number {
  const left = new Map<string, number>()
  for (const key of present) left.set(key, (left.get(key) ?? 0) + 1)
  let found = 0
  for (const { key } of claim) {
    const count = left.get(key) ?? 0
    if (count > 0) found += 1
    left.set(key, count - 1)
  }
  return found / claim.length
}

function contentShare(claim: readonly Claimed[], present: ReadonlySet<string>): number {
  const content = claim.filter(({ stop }) => !stop)
  const wanted = content.length > 0 ? content : claim
  const alike = likeness(present)
  let [found, total] = [0, 0]
  for (const { key, isName } of wanted) {
    const weight = isName ? nameWeight : 1
    total += weight
    if (present.has(key)) found += weight
    else if (alike(key).length > 0) found += alikeWeight * weight
  }
  return found / total
}

/** What it costs to continue at another place than the next word, in content words. */
const costs = { forward: 0.15, backward: 0.4, neighbour: 0.5, elsewhere: 0.8 }
const stopWeight = 0.3
const alignedNameWeight = 1.2
/** Of a longer claim only the first words count; a sentence has fewer. */
const maxWords = 128
const never = Number.NEGATIVE_INFINITY

/**
 * How well one passage says the claim in its order, 0..1: the best alignment of the claim's words with the evidence, by
 * dynamic programming (as in Needleman and Wunsch 1970, with jumps). Each aligned word counts; each jump costs, the more
 * the farther it leads: ahead in the sentence, back in it, to a neighbour, elsewhere. So what is put together from
 * several places counts less than what is said in one. Time: words of the claim x words of the evidence.
 */
function alignmentWith(all: readonly Claimed[], evidence: Reading): number {
  const claim = all.slice(0, maxWords)
  const weights = claim.map(({ stop, isName }) => (stop ? stopWeight : isName ? alignedNameWeight : 1))
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

/** A word of a claim, as it is looked for in the evidence. */
interface Claimed {
  /** Equal for forms of one word. */
  key: string
  stop: boolean
  /** Contains digits, or is capitalised and not the first word. */
  isName: boolean
}

const keyOf = (word: Word | undefined): string => (word ? (irregularBase(word.word) ?? word.term) : '')

function claimedIn({ text, words }: Reading): Claimed[] {
  return words.map((word, i) => ({
    key: keyOf(word),
    stop: word.stop,
    isName:
      /\p{Nd}/u.test(word.word) || (i > 0 && !word.stop && /^\p{Lu}/u.test(text.slice(word.start, word.start + 2))),
  }))
}
