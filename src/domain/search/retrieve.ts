import type { LegExplanation, SearchQuery } from '../../model/search.ts'
import { primaryLanguage, titledText } from '../../model/title.ts'
import type { Unit } from '../../model/unit.ts'
import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'
import { Slices } from '../../slices/slices.ts'
import { type Candidates, candidates, type Leg, type LookUp, lookUpOnce, type RankingDeps } from './candidates.ts'
import { type Fused, type Fusion, fuse } from './fuse.ts'
import { type Plan, unlimited } from './plan.ts'
import { keepsTo, preferenceFor } from './query-syntax.ts'

/** Initial depth of each leg; doubled while stale candidates make the result too short. */
const firstDepth = 200
/** No deeper for texts with phrases or without words, where the index could not tell them. */
const lastDepth = 3200

/**
 * candidates -> fuse -> hydrate; deeper while the catalog rejects candidates and the result is too short. Where an index
 * may be wrong, or was, all candidates are looked up before they are counted and scaled.
 */
export async function retrieve(deps: RankingDeps, plan: Plan): Promise<Retrieved> {
  const { telemetry } = deps
  const { required, excluded, preferred, alone } = plan.rules
  if (preferred.length > 0) return retrievePreferred(deps, plan)
  if (alone && Object.keys(plan.query.vector).length === 0 && plan.picture === null) return newest(deps, plan)
  const lookUp = lookUpOnce(deps, plan)
  const hasRules = required.length + excluded.length > 0
  let doubtful = plan.mayBeOutdated || hasRules
  // What an index remembers of a text decides nothing while it may be behind.
  const filter = hasRules && !plan.mayBeOutdated ? { ...plan.filter, phrases: { required, excluded } } : plan.filter
  for (let depth = firstDepth; ; ) {
    const check = doubtful ? lookUp : null
    const found = await telemetry.stage('candidates', () => candidates(deps, { ...plan, filter }, depth, check))
    const fusion = await telemetry.stage('fuse', () => fused(deps, plan, found.legs))
    const { hits, stale } = await telemetry.stage('hydrate', () => hydrate(deps, lookUp, plan, found.legs, fusion))
    if (stale && !doubtful) {
      doubtful = true
      continue
    }
    const more = (found.dropped || stale) && found.legs.some((leg) => leg.full)
    const isDeep = hasRules && depth >= lastDepth
    if (hits.length >= plan.query.topK || !more || isDeep) return { hits, found, weights: fusion.weights }
    depth *= 2
  }
}

interface Retrieved {
  hits: Hydrated[]
  found: Candidates
  weights: Record<string, number>
}

/** Units with all of the preferred phrases, which the index finds by them, and what it finds otherwise. */
async function retrievePreferred(deps: RankingDeps, plan: Plan): Promise<Retrieved> {
  const { preferred, ...rules } = plan.rules
  const all = await retrieve(deps, { ...plan, rules: { ...rules, preferred: [] } })
  const required = { ...rules, required: [...rules.required, ...preferred], preferred: [] }
  const { hits: those } = await retrieve(deps, { ...plan, rules: required })
  const known = new Set(all.hits.map(({ unitId }) => unitId))
  const hits = [...all.hits, ...those.filter(({ unitId }) => !known.has(unitId))]
  return { ...all, hits: preferring(deps, plan, hits).slice(0, plan.query.topK) }
}

/** Those with more of the preferred phrases first. No score is higher than one before it. */
export function preferring<T extends Hydrated>({ analysis }: RankingDeps, { rules }: Plan, hits: readonly T[]): T[] {
  if (rules.preferred.length === 0) return [...hits]
  const preference = preferenceFor(rules, analysis)
  const sorted = hits.map((hit) => ({ hit, held: preference(hit.unit) })).sort((a, b) => b.held - a.held)
  let least = 1
  return sorted.map(({ hit }) => {
    least = Math.min(least, hit.score)
    return { ...hit, score: least }
  })
}

/** Units that are read from the catalog at a time. */
const pageSize = 200

/** The newest Units that keep to the rules, where a query has no words to rank by: from the catalog, which decides. */
async function newest({ catalog, analysis, telemetry }: RankingDeps, plan: Plan): Promise<Retrieved> {
  const started = performance.now()
  const { query, visibility, opens } = plan
  const keeps = keepsTo(plan.rules, analysis)
  const hits: Hydrated[] = []
  const slices = new Slices()
  await telemetry.stage('candidates', async () => {
    for (let offset = 0; hits.length < query.topK && offset < lastDepth && query.minScore === 0; offset += pageSize) {
      const page = await catalog.units.list(visibility, query.filters, offset, pageSize, 'newest')
      for (const unit of page) {
        if (opens(unit) && keeps(unit)) hits.push({ unitId: unit.unitId, score: 0, explain: [], unit })
        if (slices.isOver) await slices.next()
      }
      if (page.length < pageSize) break
    }
  })
  const trace = { leg: 'filter', engine: catalog.engine, candidates: hits.length, tookMs: performance.now() - started }
  const leg: Leg = {
    ...{ name: 'filter', kind: 'text', model: 'text', floor: { any: 0, sameLanguage: 0 }, candidates: [], full: false },
    trace,
  }
  return { hits: hits.slice(0, query.topK), found: { legs: [leg], degraded: [], dropped: false }, weights: {} }
}

/** Reads the best text, if it is to be weighed against vectors. */
async function fused(deps: RankingDeps, { query, filter }: Plan, legs: readonly Leg[]): Promise<Fusion> {
  const best = legs.find(({ kind }) => kind === 'text')?.candidates[0]
  const isWeighed =
    best !== undefined && legs.some(({ kind, candidates }) => kind === 'vector' && candidates.length > 0)
  const [read] = isWeighed ? await deps.catalog.changes.of(filter.namespaceId, [best.unitId]) : []
  const covered = read?.kind === 'put' ? coverage(deps.analysis, query.q, titledText(read.unit)) : 1
  return fuse(legs, query, deps.vectorWeights, covered)
}

/** From this share of common runs of letters on, a word may be another form of the query's. */
const sameWord = 0.6

/** By one word that a text has of several, it may be about something else; by many, hardly. */
const chance = 0.7

/**
 * The share of a query's words that a text has, in any form: 0..1. If it lacks some, this counts less, the fewer it has: one
 * of two words says less than five of ten.
 */
function coverage(analysis: TextAnalysis, q: string, text: string): number {
  const words = analysis.words(q)
  const content = words.filter(({ stop }) => !stop)
  const asked = new Map((content.length > 0 ? content : words).map((word) => [word.term, word.word]))
  const found = analysis.words(text.slice(0, longestText))
  const terms = new Set(found.map(({ term }) => term))
  const runs = new Set(found.flatMap(({ word }) => analysis.letterRuns(word)))
  const has = ([term, word]: [string, string]) => {
    if (terms.has(term)) return true
    const own = analysis.letterRuns(word)
    return own.filter((run) => runs.has(run)).length >= sameWord * Math.max(1, own.length)
  }
  const shared = [...asked].filter(has).length
  return shared === asked.size ? 1 : (shared / asked.size) * (1 - chance ** shared)
}

export type Hydrated = Omit<Fused, 'check'> & { explain: LegExplanation[]; unit: Unit }

/**
 * Reads candidates from the catalog, best first, until it has `topK`. Of those that only built-in vectors found, which come
 * last, it reads the best `topK`, and keeps those that have something in common with the query. It reads none where the
 * text leg already found all of these. `stale`: the catalog rejected some, because the index is behind.
 */
async function hydrate(
  { analysis, texts }: RankingDeps,
  lookUp: LookUp,
  { query }: Plan,
  legs: readonly Leg[],
  { entries, explain }: Fusion,
): Promise<{ hits: Hydrated[]; stale: boolean }> {
  const { q, topK, minScore } = query
  const hits: Hydrated[] = []
  let stale = false
  const slices = new Slices()
  const sure = entries.filter(({ check }) => check !== 'letters').length
  const allFound = sure === entries.length || (legs.some(isWholeText) && texts.findsLetters(q))
  const shares = allFound ? () => true : sharesLetters(analysis, q)
  const passes = { letters: shares, language: inAnotherLanguage(analysis, query) }
  const considered = entries.slice(0, allFound ? sure : sure + topK)
  for (let start = 0; start < considered.length && hits.length < topK; start += topK) {
    const chunk = considered.slice(start, start + topK).filter(({ score }) => score >= minScore)
    const shown = await lookUp(chunk.map(({ unitId }) => unitId))
    for (const { unitId, score, check } of chunk) {
      const unit = shown.get(unitId)
      if (unit === undefined) stale = true
      else if (hits.length < topK && (check === null || passes[check](unit))) {
        hits.push({ unitId, score, explain: explain(unitId), unit })
      }
      if (slices.isOver) await slices.next()
    }
  }
  return { hits, stale }
}

const isWholeText = ({ kind, full }: Leg): boolean => kind === 'text' && !full

/** Texts may be a megabyte long. UTF-16 units. */
const longestText = 4_000

/** Whether a Unit is in another language than the query, as far as both are known: such texts are farther from it. */
function inAnotherLanguage(analysis: TextAnalysis, { q, language }: SearchQuery): (unit: Unit) => boolean {
  const asked = primaryLanguage(language ?? null) ?? analysis.language(q, 'query')
  return (unit) => {
    const own = primaryLanguage(unit.language) ?? analysis.language(titledText(unit).slice(0, longestText), 'text')
    return asked !== null && own !== null && own !== asked
  }
}

/**
 * Whether a Unit has a word in common with a query, or a run of letters of one: in scripts without spaces, also a query's
 * single letter. Only the beginning of a long text is read.
 */
function sharesLetters(analysis: TextAnalysis, q: string): (unit: Unit) => boolean {
  const words = analysis.words(q)
  const content = words.filter(({ stop }) => !stop)
  const signs = ({ word, term }: Word) => [`=${term}`, ...analysis.letterRuns(word)]
  const wanted = new Set((content.length > 0 ? content : words).flatMap(signs))
  /** Most words stand in several of the Units. */
  const known = new Map<string, boolean>()
  const isShared = (word: Word): boolean => {
    const before = known.get(word.word)
    if (before !== undefined) return before
    const found = [...signs(word), ...word.word].some((sign) => wanted.has(sign))
    known.set(word.word, found)
    return found
  }
  return (unit) => analysis.words(titledText(unit).slice(0, longestText)).some(isShared)
}

/** How many candidates of each leg decide which Units are the best: scores are scaled by what is found further down. */
const countDepth = 200

/**
 * How many of the `topK` hits for a caller without ACL limits are hidden from this one. With many Units it is an
 * estimate, from text search and approximate nearest vectors.
 *
 * Whatever else the query has is ignored: with a filter, a threshold or a vector, the count would tell what the hidden
 * Units hold.
 */
export async function countHidden(
  deps: RankingDeps,
  plan: Plan,
  { q, topK }: Pick<SearchQuery, 'q' | 'topK'>,
): Promise<number> {
  const query = plainQuery(q, topK)
  const { legs } = await candidates(deps, unlimited(plan, query), countDepth, null)
  const { entries } = await fused(deps, { ...plan, query }, legs)
  const best = entries.slice(0, topK)
  return deps.catalog.units.countHiddenAmong(
    plan.visibility,
    best.map(({ unitId }) => unitId),
  )
}

/** Every field is named, so that a new one of the caller's does not come in by itself. */
const plainQuery = (q: string, topK: number): SearchQuery => ({
  q,
  topK,
  filters: {},
  vector: {},
  minScore: 0,
  rerank: false,
  diversity: 0,
  answer: false,
  agentic: false,
  maxSteps: 1,
})
