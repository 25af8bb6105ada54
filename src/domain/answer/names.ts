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

/** Whether a word only joins the words of a name or a list. */
export const isJoining = ({ word }: Word): boolean => joins.test(word)

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

/** Whether a word is part of a name by itself. */
function isOwn(word: Word | undefined, text: string): boolean {
  if (!word) return false
  const written = text.slice(word.start, word.end)
  return !word.stop && written.length >= minLetters && capital.test(written)
}

/** `and`, `or` and the like between two names: what is compared or asked of both. */
const joint = /^\s*(?:,|(?:,\s*)?(?:and|or|vs\.?|versus|than|with|und|oder|et|ou|y|o|e)\b)[^?.!]{0,20}$/iu

/** The names that the question joins or compares, if there are at least two. */
export function joinedNames(question: string, words: readonly Word[]): NamedThing[] {
  const names = namesIn(question, words).flatMap((name) => atJoints(name, question, words))
  const joined = new Set<NamedThing>()
  for (const [i, name] of names.entries()) {
    const before = names[i - 1]
    if (before && joint.test(question.slice(before.end, name.start))) joined.add(before).add(name)
  }
  return [...joined]
}

/** The parts of a name at its first `and`: `Ed Roland and Adam Duritz` is two names in a question. */
export function atJoints(name: NamedThing, question: string, words: readonly Word[]): NamedThing[] {
  const within = words.filter(({ start, end }) => start >= name.start && end <= name.end)
  const at = within.findIndex(({ word }) => /^(?:and|or|und|oder|et|ou|y|o|e)$/u.test(word))
  const [left, right] = [within.slice(0, at), within.slice(at + 1)]
  if (at < 0 || left.length === 0 || right.length === 0) return [name]
  return [left, right].flatMap((part) => namesIn(question, part))
}
