import { Slices } from '../../async/pieces.ts'
import type { Facet } from '../../model/doc.ts'
import { primaryLanguage } from '../../model/language.ts'
import { isByScore, type LegExplanation, type SearchQuery } from '../../model/search.ts'
import { titledText, type Unit } from '../../model/unit.ts'
import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'
import { type Arranged, arrange, boosted, type Checks, isCurrentIn, isPlain, lastDepth } from './arrange.ts'
import { type Candidates, candidates, foundIn, type Leg, type LookUp, lookUpOnce } from './candidates.ts'
import { contestFor, type Fused, type Fusion, fused, longestText } from './fuse.ts'
import type { RankingDeps } from './legs.ts'
import type { Plan } from './plan.ts'
import { keepsTo, preferenceFor } from './query-syntax.ts'

/** Initial depth of each leg; doubled while stale candidates make the result too short. */
const firstDepth = 200
/** The same where what comes later may be raised. */
const boostedDepth = 1000
/** How many more than the hits are placed exactly: texts of some may not pass. */
const spare = 10

export interface Retrieved {
  hits: Hydrated[]
  /** There are hits, or groups, after these. */
  more: boolean
  facets: Facet[] | null
  found: Candidates
  weights: Record<string, number>
}

/**
 * candidates -> fuse -> arrange -> hydrate; deeper while the catalog rejects candidates and the result is too short. Where an
 * index may be wrong, or was, all candidates are looked up before they are counted and scaled.
 */
export async function retrieve(deps: RankingDeps, plan: Plan): Promise<Retrieved> {
  const { telemetry } = deps
  const { required, excluded, preferred, alone } = plan.rules
  if (preferred.length > 0) return retrievePreferred(deps, plan)
  const lookUp = lookUpOnce(deps, plan)
  const hasRules = required.length + excluded.length > 0
  let isDoubtful = plan.mayBeWrong || hasRules
  // Where hits are the best of the first legs, few candidates decide.
  let contest =
    isPlain(plan.query) && plan.query.boost.length === 0
      ? contestFor(deps, plan.query, plan.query.topK + 1 + spare)
      : null
  // What an index remembers of a text decides nothing while it may be behind.
  const filter = hasRules && !plan.mayBeWrong ? { ...plan.filter, phrases: { required, excluded } } : plan.filter
  const searched = { ...plan, filter }
  const finish = async (found: Candidates, fusion: Fusion, depth: number, isDoubtful: boolean) => {
    const { legs } = found
    const checks = checksOf(deps, plan.query, legs, fusion.entries)
    const arranged = await arrange(deps, { plan: searched, lookUp, legs, depth, fusion, checks, isDoubtful })
    const hydrated = await telemetry.stage('hydrate', () => hydrate(lookUp, plan, arranged, checks))
    return { ...hydrated, facets: arranged.facets }
  }
  if (alone && Object.keys(plan.query.vector).length === 0 && plan.picture === null) {
    const { found, fusion } = await telemetry.stage('candidates', () => newest(deps, plan))
    return { ...(await finish(found, fusion, firstDepth, false)), found, weights: {} }
  }
  for (let depth = plan.query.boost.length > 0 ? boostedDepth : firstDepth; ; ) {
    const check = isDoubtful ? lookUp : null
    const found = await telemetry.stage('candidates', () => candidates(deps, searched, depth, check, contest))
    const fusion = await telemetry.stage('fuse', async () =>
      boosted(deps, plan, await fused(deps, plan, found.legs), isCurrentIn(plan, isDoubtful)),
    )
    const isCut = found.legs.some(({ candidates }) => foundIn(candidates) > candidates.length)
    // Of the others, some are missing.
    if (contest && isCut) fusion.entries.splice(contest.count)
    const { hits, more, facets, stale } = await finish(found, fusion, depth, isDoubtful)
    if (stale && !isDoubtful) {
      isDoubtful = true
      continue
    }
    if (isCut && !more && (fusion.entries.at(-1)?.score ?? 0) >= plan.query.minScore) {
      contest = null
      continue
    }
    const deeper = (found.dropped || stale) && found.legs.some((leg) => leg.full)
    const isDeep = hasRules && depth >= lastDepth
    if (hits.length >= plan.query.topK || !deeper || isDeep)
      return { hits, more, facets, found, weights: fusion.weights }
    depth *= 2
  }
}

/** Units with all of the preferred phrases, which the index finds by them, and what it finds otherwise. */
async function retrievePreferred(deps: RankingDeps, plan: Plan): Promise<Retrieved> {
  const { preferred, ...rules } = plan.rules
  const { offset, topK } = plan.query
  if (!prefers(plan)) return retrieve(deps, { ...plan, rules: { ...rules, preferred: [] } })
  const whole = { ...plan, withBefore: true }
  const all = await retrieve(deps, { ...whole, rules: { ...rules, preferred: [] } })
  const required = { ...rules, required: [...rules.required, ...preferred], preferred: [] }
  const those = await retrieve(deps, { ...whole, rules: required })
  const known = new Set(all.hits.map(({ unitId }) => unitId))
  const hits = [...all.hits, ...those.hits.filter(({ unitId }) => !known.has(unitId))]
  return {
    ...all,
    hits: preferring(deps, plan, hits).slice(offset, offset + topK),
    more: all.more || those.more || hits.length > offset + topK,
  }
}

/** Whether texts with more of the preferred phrases come first: not where the order is another one, or that of groups. */
const prefers = ({ rules, query }: Plan): boolean =>
  rules.preferred.length > 0 && query.groupBy === undefined && isByScore(query.sort)

/** Those with more of the preferred phrases first. No score is higher than one before it. */
export function preferring<T extends Hydrated>({ analysis }: RankingDeps, plan: Plan, hits: readonly T[]): T[] {
  if (!prefers(plan)) return [...hits]
  const preference = preferenceFor(plan.rules, analysis)
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
async function newest(deps: RankingDeps, plan: Plan): Promise<{ found: Candidates; fusion: Fusion }> {
  const { catalog, analysis } = deps
  const started = performance.now()
  const { query, visibility, opens } = plan
  const keeps = keepsTo(plan.rules, analysis)
  const isPage = query.groupBy === undefined && query.sort.length === 0 && query.facets.length === 0
  const wanted = isPage ? query.offset + query.topK + 1 : lastDepth
  const entries: Fused[] = []
  const slices = new Slices()
  for (let offset = 0; entries.length < wanted && offset < lastDepth && query.minScore === 0; offset += pageSize) {
    const page = await catalog.units.list(visibility, query.filters, offset, pageSize, 'newest')
    for (const unit of page) {
      if (opens(unit) && keeps(unit)) entries.push({ unitId: unit.unitId, score: 0, check: null })
      if (slices.isOver) await slices.next()
    }
    if (page.length < pageSize) break
  }
  const tookMs = performance.now() - started
  const trace = { leg: 'filter', engine: catalog.engine, candidates: entries.length, tookMs }
  const leg: Leg = {
    ...{ name: 'filter', kind: 'text', model: 'text', floor: { any: 0, sameLanguage: 0 }, candidates: [], full: false },
    trace,
  }
  return {
    found: { legs: [leg], degraded: [], dropped: false },
    fusion: { entries, weights: {}, explain: () => [] },
  }
}

export interface Hydrated extends Pick<Fused, 'unitId' | 'score' | 'value'> {
  explain: LegExplanation[]
  unit: Unit
  /** How exactly the query's name stands in it; absent where that is not known. */
  named?: number
  /** Of a group: its best hits, this one first. */
  members?: Hydrated[]
}

/**
 * Reads candidates from the catalog, best first, until it has the page, and one more, which tells that others come after
 * it. `stale`: the catalog rejected some, because the index is behind.
 */
async function hydrate(
  lookUp: LookUp,
  { query, withBefore = false }: Plan,
  { entries, explain, isKnown, stale: wasStale }: Arranged,
  checks: Checks,
): Promise<Pick<Retrieved, 'hits' | 'more'> & { stale: boolean }> {
  const { minScore } = query
  const [offset, topK] = withBefore ? [0, query.offset + query.topK] : [query.offset, query.topK]
  const hits: Shown[] = []
  const considered = checks.limited(entries)
  const slices = new Slices()
  let [at, skipped, more, stale] = [0, 0, false, wasStale]
  // What the catalog has shown before need not be read to be skipped.
  for (; isKnown && skipped < offset && considered[at]?.check === null; at++) skipped += 1
  for (; at < considered.length && !more; at += topK + 1) {
    const chunk = considered.slice(at, at + topK + 1).filter(({ score }) => score >= minScore)
    const shown = await lookUp(chunk.map(({ unitId }) => unitId))
    for (const entry of chunk) {
      const unit = shown.get(entry.unitId)
      if (unit === undefined) stale = true
      else if (!more && checks.passes(entry, unit)) {
        if (skipped < offset) skipped += 1
        else if (hits.length === topK) more = true
        else hits.push({ entry, unit })
      }
      if (slices.isOver) await slices.next()
    }
  }
  return { hits: await withMembers(hits, lookUp, explain), more, stale }
}

interface Shown {
  entry: Fused
  unit: Unit
}

/** The hits, those of groups with their members. */
async function withMembers(hits: readonly Shown[], lookUp: LookUp, explain: Arranged['explain']): Promise<Hydrated[]> {
  const members = hits.flatMap(({ entry }) => entry.members ?? [])
  const units = members.length > 0 ? await lookUp(members.map(({ unitId }) => unitId)) : new Map<string, Unit>()
  const hydrated = ({ entry: { unitId, score, value }, unit }: Shown): Hydrated => ({
    ...{ unitId, score, unit, explain: explain(unitId) },
    ...(value !== undefined && { value }),
  })
  return hits.map((hit) => ({
    ...hydrated(hit),
    ...(hit.entry.members && {
      members: hit.entry.members.flatMap((entry) => {
        const unit = units.get(entry.unitId)
        return unit ? hydrated({ entry, unit }) : []
      }),
    }),
  }))
}

/**
 * Of those that only built-in vectors found, which come last, as many as the query wants may be hits, if they have
 * something in common with the query; none where the text leg already found all of these.
 */
function checksOf(
  { analysis, texts }: RankingDeps,
  query: SearchQuery,
  legs: readonly Leg[],
  found: readonly Fused[],
): Checks {
  const { q, offset, topK } = query
  const sure = found.reduce((count, { check }) => count + (check === 'letters' ? 0 : 1), 0)
  const allFound = sure === found.length || (legs.some(isWholeText) && texts.findsLetters(q))
  const tests = {
    letters: allFound ? () => true : sharesLetters(analysis, q),
    language: inAnotherLanguage(analysis, query),
  }
  return {
    limited: (entries) => {
      if (sure === found.length && entries === found) return found
      let letters = allFound ? 0 : offset + topK
      return entries.filter(({ check }) => check !== 'letters' || letters-- > 0)
    },
    passes: ({ check }, unit) => check === null || tests[check](unit),
  }
}

const isWholeText = ({ kind, full }: Leg): boolean => kind === 'text' && !full

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
