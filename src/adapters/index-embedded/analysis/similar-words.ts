import { isUnspaced } from './analyse.ts'

/** From how many letters on a word may have one typo, or two: the defaults of Meilisearch. */
const oneTypoFrom = 5
const twoTyposFrom = 9
const maxTypos = 2
/** The runs of letters that the index finds words by: a shorter word is not part of another and has no typo. */
export const minPart = 4

/**
 * Whether a word of a text is one of a query with a typo, contains it, or is its beginning or end. Both are folded. Words that differ
 * only by their marks are not: where marks count, they are other words.
 */
export const isLike = (asked: string, word: string): boolean =>
  asked !== word && (isPartOf(asked, word) || isTypo(asked, word)) && !isUnspaced(asked)

/** False for most words of a folded text that `isLike` refuses, by their length and their ends. `isWithin`: the text has the word of the query. */
export const mayBeLike = (asked: string, isWithin: boolean, text: string, start: number, end: number): boolean =>
  (isWithin && end - start > asked.length) ||
  (end - start <= asked.length + maxTypos &&
    (asked.charCodeAt(0) === text.charCodeAt(start) || asked.charCodeAt(asked.length - 1) === text.charCodeAt(end - 1)))

const isPartOf = (asked: string, word: string): boolean =>
  (asked.length >= minPart && word.includes(asked)) ||
  (word.length >= minPart && (asked.startsWith(word) || asked.endsWith(word)))

function isTypo(asked: string, word: string): boolean {
  const typos = asked.length < oneTypoFrom ? 0 : asked.length < twoTyposFrom ? 1 : 2
  if (typos === 0 || Math.abs(asked.length - word.length) > typos) return false
  // Most words differ at both ends, which hardly a typo does.
  return (asked[0] === word[0] || asked.at(-1) === word.at(-1)) && differsBy(asked, word, typos, 0, 0)
}

/** Whether at most this number of letters are missing, added, others, or swapped with the next; from these places on. */
function differsBy(asked: string, word: string, typos: number, from: number, fromOther: number): boolean {
  let [a, b] = [from, fromOther]
  while (a < asked.length && asked[a] === word[b]) {
    a++
    b++
  }
  const [lefts, rights] = [asked.length - a, word.length - b]
  if (lefts === 0 && rights === 0) return true
  if (typos === 0) return false
  const [nextA, nextB] = [lefts > 0 ? a + 1 : a, rights > 0 ? b + 1 : b]
  const isSwapped = lefts > 1 && rights > 1 && asked[a] === word[b + 1] && asked[a + 1] === word[b]
  return (
    differsBy(asked, word, typos - 1, nextA, nextB) ||
    differsBy(asked, word, typos - 1, nextA, b) ||
    differsBy(asked, word, typos - 1, a, nextB) ||
    (isSwapped && differsBy(asked, word, typos - 1, a + 2, b + 2))
  )
}
