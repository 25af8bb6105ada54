/** A word of a text. `position` counts words, with a gap after a hard separator, as for phrases. */
export interface WordAt {
  word: string
  position: number
}

const maxPositions = 65_535
const hardGap = 8
const pieces = /(?<word>[\p{L}\p{N}]+)|(?<hard>[.;,!?()[\]{}|])/gu

/** Words as Meilisearch's tokeniser finds them in scripts with spaces, up to the word limit of an attribute. */
export function wordsOf(text: string): WordAt[] {
  const found: WordAt[] = []
  let position = 0
  for (const match of text.matchAll(pieces)) {
    const { word } = match.groups ?? {}
    if (word === undefined) {
      position += hardGap - 1
      continue
    }
    if (position >= maxPositions) break
    found.push({ word: word.toLowerCase(), position: position++ })
  }
  return found
}

/** A word, or the words of a phrase. */
export interface QueryTerm {
  words: string[]
}

const wordLimit = 10

/** The terms of a query: phrases in double quotes, and words. It ignores everything after the tenth word. */
export function queryTermsOf(q: string): QueryTerm[] {
  const terms: QueryTerm[] = []
  let left = wordLimit
  for (const { groups = {}, 0: rest } of q.matchAll(/"(?<phrase>[^"]*)"|[^"]+/g)) {
    const words = wordsOf(groups.phrase ?? rest)
      .map(({ word }) => word)
      .slice(0, left)
    left -= words.length
    if (groups.phrase === undefined) terms.push(...words.map((word) => ({ words: [word] })))
    else if (words.length > 0) terms.push({ words })
  }
  return terms
}
