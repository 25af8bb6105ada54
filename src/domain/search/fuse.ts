import type { LegExplanation, SearchQuery } from '../../model/search.ts'
import { type MetadataValue, titledText } from '../../model/unit.ts'
import type { Candidate, Contest, Located } from '../../ports/indexes/index-filter.ts'
import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'
import type { Synonym } from '../../ports/indexes/text-index.ts'
import { foundIn, type Leg } from './candidates.ts'
import type { LegKind, RankingDeps } from './legs.ts'
import type { Plan } from './plan.ts'

/** A Unit's place after fusion; `score` is 0..1. */
export interface Fused extends Located {
  score: number
  /**
   * What its text must have to be a hit; null for nothing. `letters` of the query, where only the built-in vectors found it.
   * Another `language` than the query's, where only vectors did, and are not near enough for one language.
   */
  check: 'letters' | 'language' | null
  /** Of a group: what its Units have in common, and its best, this one first. */
  value?: MetadataValue | null
  members?: readonly Fused[]
}

export interface Fusion {
  /** Best first. */
  entries: Fused[]
  /** By leg, the weight that this query gives it. */
  weights: Record<string, number>
  /** What each leg that found a Unit says of it. Made for the few that are returned. */
  explain(unitId: string): LegExplanation[]
}

/** A leg with what its scores count. Scores up to `lowest` find nothing. */
interface Weighted {
  leg: Leg
  lowest: number
  scale: Scale
  weight: number
}

/** The part of each kind of leg in a query's best score. */
const confidenceWeights: Record<LegKind, number> = { text: 1, vector: 0.4, picture: 0.4, fallback: 0 }

/** The highest score of a Unit that only legs without weight found: built-in vectors compare letters. */
const unweightedCeiling = 0.3

/**
 * Ranks by a weighted sum of the legs' scores, each scaled over visible candidates only (`normalise`). Units that only a
 * fallback leg found come below all others. For a query with text, a cosine up to the floor of its model finds nothing.
 *
 * To make scores of different queries comparable, all of a query's scores are scaled by its best match: the weighted
 * mean of the best text score (0..1) and the best cosine. Ties are in ascending unitId. Pure.
 *
 * @param covered how much of the query the words of the best text cover, 0..1
 */
export function fuse(
  legs: readonly Leg[],
  { q, vectorWeight }: Pick<SearchQuery, 'q' | 'vectorWeight'>,
  modelWeights: ReadonlyMap<string, number>,
  covered: number,
): Fusion {
  // A search by vectors alone asks for the nearest, however far they are.
  const hasText = q.trim() !== ''
  const lowestOf = ({ kind, floor }: Leg) => (kind === 'text' || !hasText ? -Infinity : floor.any)
  const scales = scalesOf(legs, lowestOf, hasText ? 0 : -Infinity)
  const share = vectorShare(scales, q, covered)
  const weightOf = (leg: Leg) => {
    const { kind, model } = leg
    if (kind === 'text') return 1
    if (kind === 'fallback') return 0
    // How well the texts cover the words says nothing of the picture.
    const part = kind === 'picture' || share === null ? 1 : share * (scales.get(scaleOf(leg))?.standout ?? 1)
    return part * (vectorWeight ?? modelWeights.get(model) ?? defaultVectorWeight)
  }
  const weighted = legs.flatMap((leg): Weighted[] => {
    const scale = scales.get(scaleOf(leg))
    return scale === undefined ? [] : [{ leg, lowest: lowestOf(leg), scale, weight: weightOf(leg) }]
  })
  const entries = summed(weighted, hasText)
  const max = entries.reduce((max, { score }) => Math.max(max, score), 0)
  const confidence = confidenceOf(scales)
  // The root undoes the square of text scores, so that those of text alone stay in proportion.
  for (const entry of entries) entry.score = max > 0 ? confidence * Math.sqrt(entry.score / max) : 0
  placeFallback(entries, weighted)
  return {
    // A difference would be a new number on the heap for each of thousands of comparisons.
    entries: entries.sort((a, b) =>
      a.score === b.score ? (a.unitId < b.unitId ? -1 : 1) : a.score > b.score ? -1 : 1,
    ),
    weights: Object.fromEntries(legs.map((leg) => [leg.name, weightOf(leg)])),
    explain: (unitId) => weighted.flatMap((one) => explanationIn(one, unitId)),
  }
}

/** Each Unit once, with the weighted sum of its scaled scores. */
function summed(weighted: readonly Weighted[], hasText: boolean): Fused[] {
  const entries: Fused[] = []
  const known = new Map<string, Fused>()
  const last = weighted.at(-1)
  for (const one of weighted) {
    const { leg, lowest, scale, weight } = one
    for (const { unitId, score, at } of leg.candidates) {
      if (score <= lowest) continue
      const part = weight * normalise(score, scale)
      const check = hasText ? checkOf(leg, score) : null
      const entry = known.get(unitId)
      if (entry === undefined) {
        const added = { unitId, score: part, check, at }
        entries.push(added)
        if (one !== last) known.set(unitId, added)
      } else {
        entry.score += part
        if (check === null || entry.check === 'letters') entry.check = check
      }
    }
  }
  return entries
}

function checkOf({ kind, floor }: Leg, score: number): Fused['check'] {
  if (kind === 'fallback') return 'letters'
  return kind === 'vector' && score <= floor.sameLanguage ? 'language' : null
}

function explanationIn({ leg, lowest, scale, weight }: Weighted, unitId: string): LegExplanation[] {
  const at = leg.candidates.findIndex((candidate) => candidate.unitId === unitId)
  const found = leg.candidates[at]
  if (found === undefined || found.score <= lowest) return []
  return [
    {
      leg: leg.name,
      rank: found.rank ?? at + 1,
      score: found.score,
      normalized: normalise(found.score, scale),
      weight,
    },
  ]
}

/** Only models that found something count: one without results does not lower the confidence of the others. */
function confidenceOf(scales: ReadonlyMap<string, Scale>): number {
  let [sum, total] = [0, 0]
  for (const { kind, max } of scales.values()) {
    if (max === -Infinity) continue
    sum += confidenceWeights[kind] * Math.max(0, Math.min(1, max))
    total += confidenceWeights[kind]
  }
  return total === 0 ? 0 : sum / total
}

/** Places Units that only legs without weight found no higher than the lowest of the others. */
function placeFallback(entries: readonly Fused[], weighted: readonly Weighted[]): void {
  if (weighted.every(({ weight }) => weight > 0)) return
  const ranked = new Set<string>()
  const similarity = new Map<string, number>()
  for (const { leg, lowest, scale, weight } of weighted) {
    for (const { unitId, score } of leg.candidates) {
      if (score <= lowest) continue
      if (weight > 0) ranked.add(unitId)
      else similarity.set(unitId, Math.max(similarity.get(unitId) ?? 0, normalise(score, scale)))
    }
  }
  const lowest = (min: number, { unitId, score }: Fused) => (ranked.has(unitId) ? Math.min(min, score) : min)
  const ceiling = entries.reduce(lowest, unweightedCeiling)
  for (const entry of entries) {
    if (!ranked.has(entry.unitId)) entry.score = ceiling * (similarity.get(entry.unitId) ?? 0)
  }
}

/** Pictures are nearer to each other than to any text, so the legs of a query's picture have a scale of their own. */
const scaleOf = ({ kind, model }: Leg) => (kind === 'picture' ? `picture ${model}` : model)

/**
 * What scales the scores of one model, which its legs share: a Unit is in one plane, so it is in only one of them.
 * `tail`: of text, the score of rank `tailRank` as a share of the best. `standout`: of the leg with the nearest Unit.
 */
interface Scale {
  kind: LegKind
  min: number
  max: number
  tail: number
  standout: number
  /** Of a vector leg: the cosine from which on a score says something. */
  floor: number
}

/** Constants of the fusion, fitted with two real models and with each collection left out (bench/embeddings). */
const defaultVectorWeight = 2
const textPower = 2
const vectorPower = 1.5
const coveragePower = 8
const nearRank = 10
const tailRank = 50
/** Of a query with a number that a text covers: embeddings do not tell 14-06-2018 from 23-06-2018. */
const numberShare = 0.02
/** A vector leg always orders what the text leg did not find. */
const minShare = 0.02

/** With less, a leg only decides between equal ones, or orders all that the others did not find. */
const minWeight = 0.01

/** The candidates that place the first `count` exactly; null where all are needed. */
export const contestFor = (
  { vectorWeights }: Pick<RankingDeps, 'vectorWeights'>,
  { vectorWeight = defaultVectorWeight }: Pick<SearchQuery, 'vectorWeight'>,
  count: number,
): Omit<Contest, 'queries'> | null =>
  Math.min(vectorWeight, ...vectorWeights.values()) < minWeight ? null : { count, ranks: [1, nearRank, tailRank] }

/**
 * A cosine is scaled from the last candidate's, even where that finds nothing: how far hits are from all that is not one
 * says more than how far they are from a constant.
 */
function scalesOf(legs: readonly Leg[], lowestOf: (leg: Leg) => number, minCosine: number): ReadonlyMap<string, Scale> {
  const scales = new Map<string, Scale>()
  const textSays = legs.some(({ kind, candidates }) => kind === 'text' && (candidates[0]?.score ?? 0) > 0)
  for (const leg of legs) {
    const { kind, candidates } = leg
    const scale = scales.get(scaleOf(leg)) ?? { kind, min: Infinity, max: -Infinity, tail: 0, standout: 1, floor: 0 }
    if ((candidates[0]?.score ?? 0) > scale.max) scale.standout = standout(candidates)
    const lowest = lowestOf(leg)
    for (let i = 0; i < candidates.length; i++) {
      const score = candidates[i]?.score ?? 0
      if (score < scale.min) scale.min = score
      if (score > lowest && score > scale.max) scale.max = score
    }
    scale.tail = Math.max(scale.tail, scoreAt(candidates, tailRank))
    // Equal cosines tell no Unit from another. Without a text that does, they are still how near the Units are.
    const tellsApart = scale.max > scale.min || (textSays && foundIn(candidates) > 1)
    scale.floor = tellsApart ? Math.max(minCosine, scale.min) : 0
    scales.set(scaleOf(leg), scale)
  }
  return scales
}

/**
 * A score scaled to 0..1. Text: the square of its share of the best, because far behind the best hit says little. A
 * cosine: how much of the way from the last candidate, or from 0, to identity it is, to the power of 1.5. A model whose
 * cosines are all high, or all near each other, does not gain influence by that, as it would by min-max.
 */
function normalise(score: number, { kind, max, floor }: Scale): number {
  if (kind === 'text') return max > 0 ? (score / max) ** textPower : 0
  if (kind === 'fallback') return Math.max(0, Math.min(1, score))
  return floor < 1 ? Math.max(0, (score - floor) / (1 - floor)) ** vectorPower : 0
}

/**
 * How much a query leans on vectors, relative to text: more the less of the query the best text covers, and little if it
 * covers all of it and few others come near. That is how names look, which embeddings blur. A question in
 * another language than the texts has few of their words: its vectors decide nearly alone. Null without texts.
 */
function vectorShare(scales: ReadonlyMap<string, Scale>, q: string, covered: number): number | null {
  for (const { kind, max, tail } of scales.values()) {
    if (kind !== 'text' || max <= 0) continue
    // The score is high, too, if a short text repeats one of the words.
    const coverage = Math.min(1, max, covered)
    const drop = Math.max(0, 1 - tail / max)
    const open = Math.sqrt(Math.max(minShare ** 2, 1 - coverage ** coveragePower * Math.sqrt(drop)))
    const share = /\p{N}/u.test(q) ? numberShare ** coverage * open : open
    return share / Math.max(minShare, coverage)
  }
  return null
}

/**
 * How far the nearest Unit is before the others, in times of what is to be expected. Cosines to what is unrelated fall off
 * exponentially: of n candidates the best one is ln n + .577 such falls before the last, in the mean, and that of rank
 * `nearRank` ln (n / nearRank). It raises no more than it can lower. 1 where too few are there to tell, or they are not
 * the near ones of many.
 */
function standout(candidates: readonly Candidate[]): number {
  const [best, last] = [candidates[0], candidates.at(-1)]
  const count = last?.rank ?? candidates.length
  if (best === undefined || last === undefined || count < tailRank || last.score <= 0) return 1
  const expected = (Math.log(count) + 0.5772) / Math.log(count / nearRank)
  const near = scoreAt(candidates, nearRank)
  return best.score > last.score ? Math.min(expected, (best.score - last.score) / (near - last.score) / expected) : 1
}

/** 0 where there are fewer. */
const scoreAt = (candidates: readonly Candidate[], wanted: number): number =>
  candidates.find(({ rank }, i) => (rank ?? i + 1) === wanted)?.score ?? 0

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
/** A single common word is often one of any subject. It counts as half a word. */
const onlyWord = 0.5

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
  const stands = (phrase: string) => analysis.words(phrase).every(({ term }) => terms.has(term))
  const replaced = synonyms.filter(({ to }) => to.some(stands))
  const isReplaced = ({ start, end }: Word) => replaced.some((one) => start >= one.start && end <= one.end)
  const covered = new Set(words.filter(isReplaced).map(({ term }) => term))
  const lacking = [...asked].filter(([term]) => !terms.has(term) && !covered.has(term))
  if (lacking.length === 0) return 1
  const lackingRuns = lacking.map(([, word]) => analysis.letterRuns(word))
  const wanted = new Set(lackingRuns.flat())
  // Most runs of letters stand nowhere in the text: what its words consist of need not be listed for that.
  const all = `#_${found.map(({ word }) => word).join('_#_')}_`
  const likely = [...wanted].filter((run) => all.includes(run))
  const held = new Set<string>()
  for (const { word } of found) {
    const letters = `#_${word}_`
    if (!likely.some((run) => letters.includes(run))) continue
    for (const run of analysis.letterRuns(word)) if (wanted.has(run)) held.add(run)
  }
  const isForm = (runs: readonly string[]) =>
    runs.filter((run) => held.has(run)).length >= sameWord * Math.max(1, runs.length)
  const shared = asked.size - lacking.length + lackingRuns.filter(isForm).length
  return shared === asked.size ? 1 : (shared / asked.size) * (1 - chance ** (shared === 1 ? onlyWord : shared))
}
