import { titledText } from '../../model/title.ts'
import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'
import type { Synonym } from '../../ports/indexes/text-index.ts'
import type { Leg, RankingDeps } from './candidates.ts'
import { type Fusion, fuse } from './fuse.ts'
import type { Plan } from './plan.ts'

/** Texts may be a megabyte long. UTF-16 units. */
export const longestText = 4_000

/** Reads the best text, if it is to be weighed against vectors. */
export async function fused(
  deps: RankingDeps,
  { query, synonyms, visibility }: Plan,
  legs: readonly Leg[],
): Promise<Fusion> {
  const best = legs.find(({ kind }) => kind === 'text')?.candidates[0]
  const isWeighed =
    best !== undefined && legs.some(({ kind, candidates }) => kind === 'vector' && candidates.length > 0)
  const [unit] = isWeighed ? await deps.catalog.units.hydrate(visibility, [best.unitId]) : []
  const covered = unit ? coverage(deps.analysis, query.q, synonyms, titledText(unit)) : 1
  return fuse(legs, query, deps.vectorWeights, covered)
}

/** From this share of common runs of letters on, a word may be another form of the query's. */
const sameWord = 0.6

/** By one word that a text has of several, it may be about something else; by many, hardly. */
const chance = 0.7

/**
 * The share of a query's words that a text has, in any form: 0..1. If it lacks some, this counts less, the fewer it has: one
 * of two words says less than five of ten. A text that has a synonym has its words.
 */
function coverage(analysis: TextAnalysis, q: string, synonyms: readonly Synonym[], text: string): number {
  const words = analysis.words(q)
  const content = words.filter(({ stop }) => !stop)
  const asked = new Map((content.length > 0 ? content : words).map((word) => [word.term, word.word]))
  const found = analysis.words(text.slice(0, longestText))
  const terms = new Set(found.map(({ term }) => term))
  // Only for a text that lacks a word: this takes longer than all else here.
  let runs: ReadonlySet<string> | undefined
  const runsOfText = () => {
    runs ??= new Set(found.flatMap(({ word }) => analysis.letterRuns(word)))
    return runs
  }
  const stands = (phrase: string) => analysis.words(phrase).every(({ term }) => terms.has(term))
  const replaced = synonyms.filter(({ to }) => to.some(stands))
  const isReplaced = ({ start, end }: Word) => replaced.some((one) => start >= one.start && end <= one.end)
  const covered = new Set(words.filter(isReplaced).map(({ term }) => term))
  const has = ([term, word]: [string, string]) => {
    if (terms.has(term) || covered.has(term)) return true
    const own = analysis.letterRuns(word)
    return own.filter((run) => runsOfText().has(run)).length >= sameWord * Math.max(1, own.length)
  }
  const shared = [...asked].filter(has).length
  return shared === asked.size ? 1 : (shared / asked.size) * (1 - chance ** shared)
}
