import { passageWords } from './passage-length.ts'

/** A match of a query term: the number of its word in the text. */
interface Mention {
  term: string
  word: number
}

/** How much a term with this number of mentions counts: below 1. */
export const worth = (times: number): number => times / (times + 1)

/**
 * The matches in the best passage of a text with this number of words. Each further mention of a term counts less, and a term that
 * stands everywhere in the text counts little. Of equal passages the first one wins.
 */
export function bestWindow<T extends Mention>(matches: readonly T[], words: number): T[] {
  const weights = weightsOf(matches, words)
  const counts = new Map<string, number>()
  let best = { score: 0, first: 0, last: 0 }
  let score = 0
  const count = ({ term }: Mention, change: 1 | -1) => {
    const before = counts.get(term) ?? 0
    counts.set(term, before + change)
    score += (weights.get(term) ?? 0) * (worth(before + change) - worth(before))
  }
  let last = 0
  for (const [first, match] of matches.entries()) {
    for (
      let next = matches[last];
      next !== undefined && next.word < match.word + passageWords;
      next = matches[++last]
    ) {
      count(next, 1)
    }
    // Floating-point sums differ in the last digits by the order of addition.
    if (score > best.score + 1e-9) best = { score, first, last }
    count(match, -1)
  }
  return matches.slice(best.first, best.last)
}

/** ln(1 + (n - df + .5)/(df + .5)) over the halves of passages in the text. */
function weightsOf(matches: readonly Mention[], words: number): Map<string, number> {
  const length = passageWords / 2
  const parts = Math.ceil(words / length)
  const held = new Map<string, Set<number>>()
  for (const { term, word } of matches) {
    held.set(term, (held.get(term) ?? new Set()).add(Math.floor(word / length)))
  }
  return new Map([...held].map(([term, { size }]) => [term, Math.log(1 + (parts - size + 0.5) / (size + 0.5))]))
}
