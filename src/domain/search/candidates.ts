import type { LegTrace } from '../../model/search.ts'
import type { Plane } from '../../model/unit.ts'
import type { Candidate } from '../../ports/index-filter.ts'
import type { Bindings } from '../deps.ts'
import { ownModel } from '../models.ts'
import { givenVectors } from './given-vectors.ts'
import type { Plan } from './plan.ts'

export type LegKind = 'text' | 'vector' | 'fallback'

/** One engine's proposal for one view of the query. */
export interface Leg {
  name: string
  kind: LegKind
  /** Legs of the same model compare like with like, so they are scaled together. */
  model: string
  candidates: Candidate[]
  /** The leg returned as many as it was asked for: there may be more. */
  full: boolean
  trace: LegTrace
}

export interface Candidates {
  legs: Leg[]
  /** Legs whose engine failed. */
  degraded: string[]
}

type Deps = Pick<Bindings, 'vectors' | 'texts' | 'inference' | 'log'>

interface LegPlan {
  name: string
  kind: LegKind
  model: string
  engine: string
  search(limit: number): Promise<Candidate[]>
}

/** Asks every leg at once, under the visibility filter. A leg that fails is named and left out. */
export async function candidates(deps: Deps, plan: Plan, limit: number): Promise<Candidates> {
  const ranking = [...textLegs(deps, plan), ...givenVectorLegs(deps, plan), ...modelLegs(deps, plan, 'vector')]
  const first = await runAll(deps, ranking, limit)
  const found = new Set(first.legs.flatMap((leg) => leg.candidates.map((c) => c.unitId)))
  if (found.size >= plan.query.topK) return first
  const fallback = await runAll(deps, modelLegs(deps, plan, 'fallback'), limit)
  return { legs: [...first.legs, ...fallback.legs], degraded: [...first.degraded, ...fallback.degraded] }
}

function textLegs({ texts }: Deps, { query, filter, rough }: Plan): LegPlan[] {
  const hasText = query.q.trim() !== ''
  if (!hasText && Object.keys(query.vector).length > 0) return []
  const search = (limit: number) => texts.search({ text: query.q, topK: query.topK, rough }, filter, limit)
  return [{ name: hasText ? 'text' : 'filter', kind: 'text', model: 'text', engine: texts.engine, search }]
}

/** One leg for each plane whose query embedding the caller sent. */
function givenVectorLegs({ vectors, inference }: Deps, plan: Plan): LegPlan[] {
  return givenVectors(plan).map(({ plane, vector }) =>
    vectorLeg(vectors, plan, plane, ownModel(inference.model(plane)), 'vector', async () => vector),
  )
}

/** Legs of the query's embedding by the planes' models: configured ones rank, the built-in one only fills up. */
function modelLegs({ vectors, inference }: Deps, plan: Plan, kind: 'vector' | 'fallback'): LegPlan[] {
  if (plan.query.q.trim() === '') return []
  return plan.planes
    .filter((plane) => !plan.query.vector[plane] && inference.model(plane).builtin === (kind === 'fallback'))
    .map((plane) => {
      const embed = async () => (await inference.embed(plane, [plan.query.q], 'query'))[0] ?? null
      return vectorLeg(vectors, plan, plane, inference.model(plane).name, kind, embed)
    })
}

function vectorLeg(
  vectors: Bindings['vectors'],
  plan: Plan,
  plane: Plane,
  model: string,
  kind: LegKind,
  embed: () => Promise<Float32Array | null>,
): LegPlan {
  const search = async (limit: number) => {
    const vector = await embed()
    return vector ? vectors.search({ plane, model, vector, rough: plan.rough }, plan.filter, limit) : []
  }
  return { name: `vector:${plane}`, kind, model, engine: vectors.engine, search }
}

async function runAll({ log }: Deps, plans: readonly LegPlan[], limit: number): Promise<Candidates> {
  const degraded: string[] = []
  const legs = await Promise.all(
    plans.map(async ({ name, kind, model, engine, search }): Promise<Leg[]> => {
      const started = performance.now()
      try {
        const found = await search(limit)
        const trace = { leg: name, engine, candidates: found.length, tookMs: performance.now() - started }
        return [{ name, kind, model, candidates: found, full: found.length >= limit, trace }]
      } catch (error) {
        log.warn({ err: error, leg: name, engine }, 'a search leg failed')
        degraded.push(name)
        return []
      }
    }),
  )
  return { legs: legs.flat(), degraded: degraded.sort() }
}
