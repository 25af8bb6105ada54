import { primaryLanguage } from '../../model/language.ts'
import type { LegTrace } from '../../model/search.ts'
import type { SearchLeg } from '../../model/telemetry.ts'
import type { Plane } from '../../model/unit.ts'
import type { Candidate } from '../../ports/indexes/index-filter.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { embedderOf, modelsToAsk } from '../bindings/plane-models.ts'
import { givenVectors } from './given-vectors.ts'
import type { Plan } from './plan.ts'

export type LegKind = 'text' | 'vector' | 'fallback'

/** The candidates of one engine for one view of the query. */
export interface Leg {
  name: string
  kind: LegKind
  /** Scores of legs with the same model are comparable, so they are scaled together. */
  model: string
  candidates: Candidate[]
  /** The leg returned its limit: there may be more. */
  full: boolean
  trace: LegTrace
}

export interface Candidates {
  legs: readonly Leg[]
  /** Legs whose engine failed, and the effect on the ranking. */
  degraded: string[]
}

/** In `degraded`: every leg that ranks failed, so the hits have the order of the built-in hashed vectors. */
const builtinVectorsAlone = 'ranking:builtin-vectors'

type Deps = Pick<Bindings, 'vectors' | 'texts' | 'inference' | 'formerInference' | 'log' | 'telemetry'>

interface LegPlan {
  name: string
  kind: LegKind
  plane: SearchLeg['plane']
  model: string
  engine: string
  /** It covers the few Units that another leg lacks: without results it is left out. */
  isExtra: boolean
  search(limit: number): Promise<Candidate[]>
}

/**
 * Runs every leg at once, under the visibility filter. A leg that fails is named and left out. `check` returns the legs
 * without the candidates that do not count.
 */
export async function candidates(
  deps: Deps,
  plan: Plan,
  limit: number,
  check: (legs: readonly Leg[]) => Promise<readonly Leg[]> = async (legs) => legs,
): Promise<Candidates> {
  const checked = async (plans: readonly LegPlan[]) => {
    const { legs, degraded } = await runAll(deps, plans, limit)
    return { legs: await check(legs), degraded }
  }
  const ranking = [...textLegs(deps, plan), ...givenVectorLegs(deps, plan), ...modelLegs(deps, plan, 'vector')]
  const first = await checked(ranking)
  // A count cannot ask the texts whether what the fallback finds is a hit.
  if (plan.rough || hasAtLeast(plan.query.topK, first.legs)) return first
  const fallback = await checked(modelLegs(deps, plan, 'fallback'))
  // Only the fallback ranks now. Results are much worse, but no leg's name shows it.
  const unranked = first.degraded.length > 0 && first.legs.length === 0 && fallback.legs.length > 0
  const degraded = [...first.degraded, ...fallback.degraded, ...(unranked ? [builtinVectorsAlone] : [])]
  return { legs: [...first.legs, ...fallback.legs], degraded }
}

/** Whether the legs found this many different Units. */
function hasAtLeast(units: number, legs: readonly Leg[]): boolean {
  if (legs.some((leg) => leg.candidates.length >= units)) return true
  return new Set(legs.flatMap((leg) => leg.candidates.map(({ unitId }) => unitId))).size >= units
}

function textLegs({ texts }: Deps, { query, filter, rough }: Plan): LegPlan[] {
  const hasText = query.q.trim() !== ''
  if (!hasText && Object.keys(query.vector).length > 0) return []
  const language = primaryLanguage(query.language ?? null)
  const text = { text: query.q, topK: query.topK, rough, ...(language !== null && { language }) }
  const search = (limit: number) => texts.search(text, filter, limit)
  const name = hasText ? 'text' : 'filter'
  return [{ name, kind: 'text', plane: 'all', model: 'text', engine: texts.engine, isExtra: false, search }]
}

/** One leg for each plane for which the caller sent a query embedding. */
function givenVectorLegs(deps: Deps, plan: Plan): LegPlan[] {
  return givenVectors(deps, plan).map(({ plane, model, vector }) =>
    vectorLeg(deps, plan, { plane, model, kind: 'vector', without: [], isExtra: false, embed: async () => vector }),
  )
}

/** Legs of the query's embedding by the planes' models: configured ones rank, the built-in one only fills up. */
function modelLegs(deps: Deps, plan: Plan, kind: 'vector' | 'fallback'): LegPlan[] {
  if (plan.query.q.trim() === '') return []
  return plan.planes
    .filter((plane) => !plan.query.vector[plane])
    .flatMap((plane) => modelViews(deps, plan, plane))
    .filter((view) => view.kind === kind)
    .map((view) => vectorLeg(deps, plan, view))
}

/** A plane's Units in the vectors of one model. */
interface ModelView {
  plane: Plane
  model: string
  kind: LegKind
  /** This view leaves out Units that have a vector of these models. */
  without: readonly string[]
  isExtra: boolean
  embed(): Promise<Float32Array | null>
}

/**
 * Usually one. While the plane changes models, there is one more for each model that can still embed, for the Units
 * that the ones before it lack. If the first one, which is in use, cannot embed, its leg fails.
 */
function modelViews(deps: Deps, plan: Plan, plane: Plane): ModelView[] {
  const views: ModelView[] = []
  const asked = modelsToAsk(plan.models, plane, deps.inference.model(plane).name)
  const without: string[] = []
  for (const [i, model] of asked.entries()) {
    const embedder = embedderOf(deps, plane, model)
    if (embedder === null && i > 0) continue
    const kind = embedder?.model(plane).builtin ? 'fallback' : 'vector'
    const embed = async () => {
      if (embedder === null) throw new Error('no provider embeds queries by the former model')
      return (await embedder.embed(plane, [plan.query.q], 'query'))[0] ?? null
    }
    views.push({ plane, model, kind, without: [...without], isExtra: i > 0, embed })
    if (embedder !== null) without.push(model)
  }
  return views
}

function vectorLeg({ vectors }: Deps, plan: Plan, { plane, model, kind, without, isExtra, embed }: ModelView): LegPlan {
  const search = async (limit: number) => {
    const vector = await embed()
    return vector ? vectors.search({ plane, model, without, vector, rough: plan.rough }, plan.filter, limit) : []
  }
  const name = `vector:${plane}${isExtra ? `:${model}` : ''}`
  return { name, kind, plane, model, engine: vectors.engine, isExtra, search }
}

async function runAll({ log, telemetry }: Deps, plans: readonly LegPlan[], limit: number): Promise<Candidates> {
  const degraded: string[] = []
  const legs = await Promise.all(
    plans.map(async ({ name, kind, plane, model, engine, isExtra, search }): Promise<Leg[]> => {
      const leg: SearchLeg = { kind: kind === 'text' ? 'text' : 'vector', plane, engine }
      const started = performance.now()
      try {
        const found = await telemetry.leg(leg, () => search(limit))
        if (isExtra && found.length === 0) return []
        const trace = { leg: name, engine, candidates: found.length, tookMs: performance.now() - started }
        return [{ name, kind, model, candidates: found, full: found.length >= limit, trace }]
      } catch (error) {
        log.warn({ err: error, leg: name, engine }, 'a search leg failed')
        telemetry.legDropped(leg, error)
        degraded.push(name)
        return []
      }
    }),
  )
  return { legs: legs.flat(), degraded: degraded.sort() }
}
