import type { NamedThing } from './names.ts'
import type { SubQuestion } from './question.ts'

/** A content word of a question besides the name that it starts from, each time that it occurs. */
export interface Token {
  term: string
  written: string
  /** How much it says: less for words that only frame a question. */
  weight: number
  side: 'before' | 'after'
}

const framing = 0.5

/** The words of a question on both sides of one of its names, from the name outwards. */
export function tokensAround({ terms, words, text }: SubQuestion, name: NamedThing): Token[] {
  const weights = new Map(terms.map(({ term, weight }) => [term, Math.min(1, weight < 1 ? framing : weight)]))
  const others = words.filter(({ start }) => start < name.start || start >= name.end)
  const before = others.filter(({ start }) => start < name.start).toReversed()
  const after = others.filter(({ start }) => start >= name.end)
  const tokenOf = (side: Token['side']) => (word: SubQuestion['words'][number]) => ({
    term: word.term,
    written: text.slice(word.start, word.end),
    weight: weights.get(word.term) ?? 1,
    side,
  })
  return [...before.map(tokenOf('before')), ...after.map(tokenOf('after'))]
}
