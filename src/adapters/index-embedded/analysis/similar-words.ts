import { isUnspaced } from './analyse.ts'

/** From how many letters on a word may have one typo, or two: the defaults of Meilisearch. */
const oneTypoFrom = 5
const twoTyposFrom = 9
/** The runs of letters that the index finds words by: a shorter word is not part of another and has no typo. */
export const minPart = 4

/**
 * Whether a word of a text is one of a query with a typo, contains it, or is its beginning or end. Both are folded. Words that differ
 * only by their marks are not: where marks count, they are other words.
 */
export function isLike(asked: string, word: string): boolean {
  if (asked === word || isUnspaced(asked)) return false
  if (asked.length >= minPart && word.includes(asked)) return true
  if (word.length >= minPart && (asked.startsWith(word) || asked.endsWith(word))) return true
  const typos = asked.length < oneTypoFrom ? 0 : asked.length < twoTyposFrom ? 1 : 2
  if (typos === 0 || Math.abs(asked.length - word.length) > typos) return false
  // Most words differ at both ends, which hardly a typo does.
  return (asked[0] === word[0] || asked.at(-1) === word.at(-1)) && differsBy(asked, word, typos)
}

/** Whether at most this number of letters are missing, added, others, or swapped with the next. */
function differsBy(asked: string, word: string, typos: number): boolean {
  let at = 0
  while (at < asked.length && asked[at] === word[at]) at++
  if (at === asked.length && at === word.length) return true
  if (typos === 0) return false
  const [a, b] = [asked.slice(at), word.slice(at)]
  const isSwapped = a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0]
  return (
    differsBy(a.slice(1), b.slice(1), typos - 1) ||
    differsBy(a.slice(1), b, typos - 1) ||
    differsBy(a, b.slice(1), typos - 1) ||
    (isSwapped && differsBy(a.slice(2), b.slice(2), typos - 1))
  )
}
