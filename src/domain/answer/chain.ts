import type { Evidence } from './evidence.ts'
import type { SubQuestion } from './question.ts'
import type { Sentence } from './quotable-sentences.ts'

/** Sentences of different passages that together speak of a question. */
export interface Chain {
  sentences: readonly Evidence[]
  /** The share of the question that each of its terms makes up and the sentences cover; parallel to its terms. */
  covered: readonly number[]
  /** The share that each term makes up; they sum up to 1. */
  shares: readonly number[]
}

/** How much of a term counts as covered when it stands elsewhere in the passage. */
const inPassage = 0.8
/** What a link adds to a chain, beside the part of the question that only the next sentence covers. */
const linkWorth = 0.6
/** A link is worth all from this share of the question on, and this much of it without any. */
const fullGain = 0.1
const untold = 0.4
/** A further sentence must be worth more than this: an answer is not a list of what was found. */
const price = 0.25
/** One sentence for each search that an answer makes by default. */
const maxLength = 4
const starts = 20
const beamWidth = 40
/** Of more sentences only those that say most of the question are combined. */
const maxPool = 200

interface Candidate {
  one: Evidence
  covered: readonly number[]
}

interface Partial {
  list: readonly Candidate[]
  covered: readonly number[]
  worth: number
}

/**
 * The sentences that cover most of a question and are linked by names: one tells who did something, the other where
 * they live. At most one of each passage, found by beam search from the best single sentences. Null without any sentence.
 */
export function chainFor(part: SubQuestion, pool: readonly Evidence[], shares = sharesOf(part, pool)): Chain | null {
  const asked = new Set(part.terms.map(({ term }) => term))
  const seen = pool
    .map((one) => alone({ one, covered: coverage(part, shares, one) }))
    .toSorted(byWorth)
    .slice(0, maxPool)
  const link = linksOf(asked)
  let beam = seen.slice(0, starts)
  let best = beam[0]
  if (!best) return null
  for (let length = 2; length <= maxLength; length++) {
    beam = beam
      .flatMap((chain) => seen.flatMap(({ list: [next] }) => (next && extended(chain, next, link)) ?? []))
      .toSorted(byWorth)
      .slice(0, beamWidth)
    if (beam[0] && beam[0].worth > best.worth) best = beam[0]
  }
  return { sentences: best.list.map(({ one }) => one), covered: best.covered, shares }
}

/** The share of the question that the passage of a sentence speaks of; `shares` are those of its terms. */
export const tellsOf = ({ terms }: SubQuestion, shares: readonly number[], { from }: Sentence): number =>
  sum(terms.map(({ term }, i) => (from.speaksOf(term) ? (shares[i] ?? 0) : 0)))

const byWorth = (a: Partial, b: Partial) => b.worth - a.worth

const alone = (seen: Candidate): Partial => ({
  list: [seen],
  covered: seen.covered,
  worth: sum(seen.covered),
})

function extended(chain: Partial, next: Candidate, linkOf: Link): Partial | null {
  if (chain.list.some(({ one }) => one.passage === next.one.passage)) return null
  const covered = chain.covered.map((share, i) => Math.max(share, next.covered[i] ?? 0))
  const before = sum(chain.covered)
  const gain = sum(covered) - before
  const link = Math.max(...chain.list.map(({ one }) => linkOf(one, next.one)))
  // A link is worth more the more of the question is still open.
  const told = Math.min(1, gain / fullGain)
  // Many passages have the names of the question: such a link is worth nothing by itself.
  const followed = link > 0.5 ? link * (untold + (1 - untold) * told) : link * told
  const linked = linkWorth * followed * Math.sqrt(Math.max(0, 1 - before))
  const worth = chain.worth + gain + linked - price
  return { list: [...chain.list, next], covered, worth }
}

const minShare = 0.05

/** The weights of the question's terms times their idf over the passages, by the formula of BM25, as shares of 1. */
export function sharesOf({ terms }: SubQuestion, pool: readonly Evidence[]): number[] {
  const passages = [...new Map(pool.map((one) => [one.passage, one.from])).values()]
  const rarest = idf(passages.length, 0)
  const weights = terms.map(({ term, weight }) => {
    const holding = passages.filter((passage) => passage.speaksOf(term)).length
    return weight * (idf(passages.length, holding) / rarest + minShare)
  })
  const total = sum(weights) || 1
  return weights.map((weight) => weight / total)
}

const idf = (all: number, holding: number) => Math.log(1 + (all - holding + 0.5) / (holding + 0.5))

const coverage = ({ terms }: SubQuestion, shares: readonly number[], one: Evidence): number[] =>
  terms.map(({ term }, i) => (shares[i] ?? 0) * told(one, term))

const told = (one: Evidence, term: string): number => (one.speaksOf(term) ? 1 : one.from.speaksOf(term) ? inPassage : 0)

const sum = (list: readonly number[]): number => list.reduce((all, one) => all + one, 0)

/** A name that the question has already is a weaker link: many passages hold it. */
const knownWorth = 0.5

/** 0..1: how clearly one sentence names what the passage of the other is about. */
type Link = (a: Evidence, b: Evidence) => number

/** The links between sentences, each computed once. `asked` are the terms of the question. */
function linksOf(asked: ReadonlySet<string>): Link {
  const known = new Map<Evidence, Map<Evidence, number>>()
  return (a, b) => {
    const ofA = known.get(a) ?? new Map<Evidence, number>()
    known.set(a, ofA)
    const link = ofA.get(b) ?? Math.max(mentions(a, b, asked), mentions(b, a, asked))
    ofA.set(b, link)
    return link
  }
}

function mentions(a: Evidence, b: Evidence, asked: ReadonlySet<string>): number {
  const subject = b.subject.terms
  let best = 0
  for (const { terms } of a.names) {
    // Passages about the same thing are not linked by its name.
    const both = terms.filter((term) => subject.has(term) && !a.subject.terms.has(term))
    if (both.length === 0) continue
    const worth = both.some((term) => !asked.has(term)) ? 1 : knownWorth
    best = Math.max(best, (worth * both.length) / Math.max(subject.size, terms.length))
  }
  return best
}
