import type { Word } from '../../ports/indexes/text-analysis.ts'

/** A name in a text: words in a row that are capitalised, or that only join such words. */
export interface NamedThing {
  /** As it is written. */
  text: string
  /** Its terms without the joining words, in order. */
  terms: readonly string[]
  /** UTF-16 offsets, `end` exclusive. */
  start: number
  end: number
}

/** Stop words inside a name: `Bay of Pigs`, `Ludwig van Beethoven`. */
const joins = /^(?:of|the|and|for|in|on|at|de|del|della|da|di|du|des|la|le|van|von|der|den|al|bin|ibn|y|e|und|&)$/iu
const capital = /^["'“‘(]?\p{Lu}/u
/** What may stand between two words of one name. */
const gap = /^[\s\u00a0]*(?:[-‐–.'’&/]|\.\s)?\s*$/u
/** A longer list of capitalised words is a heading. */
const maxWords = 8
const minLetters = 2

/**
 * The names in a text, from its capitals; none in scripts without them. A stop word at the start of a sentence is not a
 * name. `words` are those of `text`, with offsets in it.
 */
export function namesIn(text: string, words: readonly Word[]): NamedThing[] {
  const names: NamedThing[] = []
  let open: Word[] = []
  const close = () => {
    while (open.length > 0 && !isOwn(open.at(-1), text)) open.pop()
    const [first, last] = [open[0], open.at(-1)]
    if (first && last && open.length <= maxWords) {
      const terms = open.filter((word) => isOwn(word, text)).map(({ term }) => term)
      names.push({ text: text.slice(first.start, last.end), terms, start: first.start, end: last.end })
    }
    open = []
  }
  for (const word of words) {
    const last = open.at(-1)
    if (last && !gap.test(text.slice(last.end, word.start))) close()
    if (isOwn(word, text) || (open.length > 0 && joins.test(word.word))) open.push(word)
    else close()
  }
  close()
  return names
}

const calendar =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|november|december)$/iu

/** Whether a name is that of a day or a month. */
export const isOfCalendar = (name: string): boolean => calendar.test(name)

/** Whether a word is part of a name by itself. */
function isOwn(word: Word | undefined, text: string): boolean {
  if (!word) return false
  const written = text.slice(word.start, word.end)
  return !word.stop && written.length >= minLetters && capital.test(written)
}
