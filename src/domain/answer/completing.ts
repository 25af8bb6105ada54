import { bestBy } from './best-by.ts'
import type { Sentence } from './candidates.ts'
import { fits } from './expected-kind.ts'
import type { SubQuestion } from './question.ts'

/** The share of the question that a further sentence must add. */
const minNew = 0.08
/** What a number or a time is worth that the question wants and no quote has yet. */
const kindWorth = 0.1
const maxAdded = 2

/**
 * Further sentences of the passages that an answer cites: those with terms of the question that no chosen sentence has. A
 * passage may be cited for what it is about, and answer in another sentence. `shares` are those of the terms.
 */
export function completing<T extends Sentence>(
  part: SubQuestion,
  pool: readonly T[],
  chosen: readonly T[],
  shares: readonly number[],
): T[] {
  const cited = new Set(chosen.map(({ passage }) => passage))
  const beside = pool.filter((one) => cited.has(one.passage) && !chosen.includes(one))
  const asksFigure = part.expects === 'number' || part.expects === 'time'
  const added: T[] = []
  while (added.length < maxAdded) {
    const said = [...chosen, ...added]
    const open = part.terms.map(({ term }, i) =>
      said.some((sentence) => sentence.speaksOf(term)) ? 0 : (shares[i] ?? 0),
    )
    const lacksFigure = asksFigure && !said.some((sentence) => fits(part, sentence))
    const gain = (one: T) =>
      part.terms.reduce((sum, { term }, i) => sum + (one.speaksOf(term) ? (open[i] ?? 0) : 0), 0) +
      (lacksFigure && fits(part, one) ? kindWorth : 0)
    const best = bestBy(
      beside.filter((one) => !added.includes(one)),
      gain,
    )
    if (!best || best.worth < minNew) break
    added.push(best.item)
  }
  return added
}
