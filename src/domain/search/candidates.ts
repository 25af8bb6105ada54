import { matches } from '../../model/filter.ts'
import type { LegTrace } from '../../model/search.ts'
import type { SearchLeg } from '../../model/telemetry.ts'
import type { Unit } from '../../model/unit.ts'
import type { Candidate, Contest, Counted } from '../../ports/indexes/index-filter.ts'
import type { Inference } from '../../ports/models/inference.ts'
import type { Deadlines } from '../turns/turns.ts'
import { type Floor, fallbackLegs, type LegKind, type LegPlan, type RankingDeps, rankingLegs } from './legs.ts'
import type { Plan } from './plan.ts'
import { keepsTo } from './query-syntax.ts'

/** The candidates of one engine for one view of the query. */
export interface Leg {
  name: string
  kind: LegKind
  /** Scores of legs with the same model are comparable, so they are scaled together. */
  model: string
  /** Cosines up to these find nothing: of any text, and of one in the query's language. */
  floor: Floor
  candidates: Candidate[]
  /** The leg returned its limit: there may be more. */
  full: boolean
  trace: LegTrace
}

export interface Candidates {
  legs: readonly Leg[]
  /** Legs whose engine failed, and the effect on the ranking. */
  degraded: string[]
  /** The catalog rejected some. */
  dropped: boolean
}

/** In `degraded`: every leg that ranks failed, so the hits have the order of the built-in hashed vectors. */
const builtinVectorsAlone = 'ranking:builtin-vectors'

/**
 * Runs every leg at once, under the visibility filter. A leg that fails is named and left out. With `seen`, candidates
 * that the catalog does not show are left out. With a contest, so are those that cannot win it, if no other ones are.
 */
export async function candidates(
  deps: RankingDeps,
  plan: Plan,
  limit: number,
  seen: Seen | null,
  contest: Omit<Contest, 'queries'> | null = null,
): Promise<Candidates> {
  const ranking = rankingLegs(deps, plan)
  // What comes further down scales the scores of several legs only.
  const depth = plan.closedTo && ranking.length === 1 ? plan.query.topK : limit
  const isContest = contest !== null && seen === null && plan.like === null
  const counted = {
    ...countedIn(plan),
    ...(isContest && { contest: { ...contest, queries: ranking.filter(({ isHeld }) => isHeld).length } }),
  }
  const first = await runAll(deps, ranking, depth, counted, seen, plan.like?.unitId)
  // A count cannot ask the texts whether what the fallback finds is a hit.
  if (plan.rough || hasAtLeast(plan.query.offset + plan.query.topK, first.legs)) return first
  const fallback = await runAll(deps, fallbackLegs(deps, plan), limit, countedIn(plan), seen, plan.like?.unitId)
  // Only the fallback ranks now. Results are much worse, but no leg's name shows it.
  const unranked = first.degraded.length > 0 && first.legs.length === 0 && fallback.legs.length > 0
  const degraded = [...first.degraded, ...fallback.degraded, ...(unranked ? [builtinVectorsAlone] : [])]
  return { legs: [...first.legs, ...fallback.legs], degraded, dropped: first.dropped || fallback.dropped }
}

/** How many an engine found: it may have left some out. */
export const foundIn = (candidates: readonly Candidate[]): number => candidates.at(-1)?.rank ?? candidates.length

/** Whether the legs found this many different Units. */
function hasAtLeast(units: number, legs: readonly Leg[]): boolean {
  if (legs.some((leg) => foundIn(leg.candidates) >= units)) return true
  return new Set(legs.flatMap((leg) => leg.candidates.map(({ unitId }) => unitId))).size >= units
}

const countedIn = ({ rough, closedTo }: Plan): Counted => ({ rough, ...(closedTo && { closedTo }) })

async function runAll(
  { log, telemetry }: RankingDeps,
  plans: readonly LegPlan[],
  limit: number,
  counted: Counted,
  seen: Seen | null,
  /** A Unit that is left out. */
  except?: string,
): Promise<Candidates> {
  const degraded: string[] = []
  const legs = await Promise.all(
    plans.map(async ({ name, kind, plane, model, floor, engine, isExtra, search }): Promise<Leg[]> => {
      const leg: SearchLeg = { kind: kind === 'text' ? 'text' : 'vector', plane, engine }
      const started = performance.now()
      try {
        const all = await telemetry.leg(leg, () => search(limit, counted))
        const found = except === undefined ? all : all.filter(({ unitId }) => unitId !== except)
        if (isExtra && found.length === 0) return []
        const trace = { leg: name, engine, candidates: foundIn(found), tookMs: performance.now() - started }
        return [{ name, kind, model, floor, candidates: found, full: foundIn(all) >= limit, trace }]
      } catch (error) {
        log.warn({ err: error, leg: name, engine }, 'a search leg failed')
        telemetry.legDropped(leg, error)
        degraded.push(name)
        return []
      }
    }),
  )
  const kept = seen ? await keepVisible(seen, legs.flat()) : { legs: legs.flat(), dropped: false }
  return { ...kept, degraded: degraded.sort() }
}

/** These bindings for one search, whose models embed its query once, within the time that it may wait for them. */
export function embeddingIn(deps: RankingDeps, deadlines: Deadlines): RankingDeps {
  const withTimeout = (inference: Inference) => onePerModel(inference, deadlines.forEmbedding)
  return { ...deps, inference: withTimeout(deps.inference), formerInference: deps.formerInference.map(withTimeout) }
}

/**
 * The inference of one search: each model embeds the query only once, for all planes and passes, and stops at the
 * signal, which begins with the first use of any.
 */
function onePerModel(inference: Inference, begin: () => AbortSignal): Inference {
  let signal: AbortSignal | undefined
  const embeddings = new Map<string, ReturnType<Inference['embed']>>()
  const once = (key: string, embed: (signal: AbortSignal) => ReturnType<Inference['embed']>) => {
    const known = embeddings.get(key)
    if (known !== undefined) return known
    signal ??= begin()
    const vectors = embed(signal)
    embeddings.set(key, vectors)
    return vectors
  }
  const { embedImages } = inference
  return {
    ...inference,
    embed: (plane, texts, kind) =>
      once(JSON.stringify([inference.model(plane).name, kind, texts]), (within) =>
        inference.embed(plane, texts, kind, within),
      ),
    // A search has one picture.
    ...(embedImages && {
      embedImages: (plane, pictures, kind) =>
        once(`picture ${inference.model(plane).name}`, (within) => embedImages(plane, pictures, kind, within)),
    }),
  }
}

/** Which of these Units the catalog shows. */
export type Seen = (unitIds: readonly string[]) => Promise<{ has(unitId: string): boolean }>

/** Returns those of these Units that the catalog shows, and perhaps others that it showed before. */
export type LookUp = (unitIds: readonly string[]) => Promise<ReadonlyMap<string, Unit>>

/**
 * Looks Units up under the same filter as the indexes: the catalog decides. Within one search each is read once, so that it
 * is the same for the count, the scale and the hits.
 */
export function lookUpOnce({ catalog, analysis }: RankingDeps, plan: Plan): LookUp {
  const keeps = keepsTo(plan.rules, analysis)
  const read = new Set<string>()
  const shown = new Map<string, Unit>()
  return async (unitIds) => {
    const unread = unitIds.filter((unitId) => !read.has(unitId))
    if (unread.length === 0) return shown
    for (const unit of await catalog.units.hydrate(plan.visibility, unread)) {
      if (plan.opens(unit) && matches(plan.query.filters, unit) && keeps(unit)) shown.set(unit.unitId, unit)
    }
    for (const unitId of unread) read.add(unitId)
    return shown
  }
}

/**
 * Leaves out candidates that the catalog does not show. An index that is behind may still have a Unit that was hidden
 * from the caller: neither a count nor the scale of the scores may tell of it.
 */
async function keepVisible(seen: Seen, legs: readonly Leg[]): Promise<{ legs: readonly Leg[]; dropped: boolean }> {
  const found = new Set(legs.flatMap((leg) => leg.candidates.map(({ unitId }) => unitId)))
  const visible = await seen([...found])
  let dropped = false
  const kept = legs.map((leg) => {
    const candidates = leg.candidates.filter(({ unitId }) => visible.has(unitId))
    if (candidates.length === leg.candidates.length) return leg
    dropped = true
    return { ...leg, candidates, trace: { ...leg.trace, candidates: candidates.length } }
  })
  return { legs: kept, dropped }
}
