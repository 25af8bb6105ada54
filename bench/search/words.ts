import { below, randomOf } from './random.ts'

const syllables = 'ba co du fe gi ho ju ka lo mi ne pa ri so tu va wo xe za bre cla dro fli gra ple stu tri'.split(' ')

/** Synthetic words, the most frequent first. */
const vocabulary: readonly string[] = makeWords(30_000)

function makeWords(count: number): string[] {
  const random = randomOf(1)
  const words = new Set<string>()
  while (words.size < count) {
    const length = 2 + below(random, 3)
    words.add(Array.from({ length }, () => syllables[below(random, syllables.length)]).join(''))
  }
  return [...words]
}

const wordAt = (rank: number): string => vocabulary[rank] ?? ''

/** Zipf's law: a word's probability decreases with its rank. The logarithm of the rank is uniformly distributed. */
export const zipfWord = (random: () => number): string =>
  wordAt(Math.floor(Math.exp(random() * Math.log(vocabulary.length + 1))) - 1)

const topicalWords = 20

/** A word that the texts of a cluster share; other texts use it too, but rarely. */
export function topicalWord(cluster: number, random: () => number): string {
  const ofCluster = randomOf(2, cluster, below(random, topicalWords))
  return wordAt(500 + below(ofCluster, vocabulary.length - 500))
}
