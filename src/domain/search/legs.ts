import { InvalidInputError } from '../../errors.ts'
import { primaryLanguage } from '../../model/language.ts'
import type { SearchLeg } from '../../model/telemetry.ts'
import type { Plane } from '../../model/unit.ts'
import type { Candidate, Counted } from '../../ports/indexes/index-filter.ts'
import type { EmbeddingModel, Inference } from '../../ports/models/inference.ts'
import {
  type Bindings,
  type DomainSettings,
  embedderOf,
  givenModels,
  modelsToAsk,
  ownModel,
} from '../bindings/bindings.ts'
import { type Plan, soughtIn } from './plan.ts'
import { readsPictures } from './query-picture.ts'

/** What retrieval and ranking use. */
export type RankingDeps = Pick<
  Bindings,
  | 'catalog'
  | 'clock'
  | 'vectors'
  | 'texts'
  | 'passages'
  | 'inference'
  | 'formerInference'
  | 'reranker'
  | 'analysis'
  | 'log'
  | 'telemetry'
> &
  Pick<DomainSettings, 'vectorWeights'>

export type LegKind = 'text' | 'vector' | 'picture' | 'fallback'

export interface Floor {
  any: number
  sameLanguage: number
}

/** What one engine finds for one view of the query. */
export interface LegPlan {
  name: string
  kind: LegKind
  plane: SearchLeg['plane']
  model: string
  floor: Floor
  engine: string
  /** It covers the few Units that another leg lacks: without results it is left out. */
  isExtra: boolean
  /** The namespace has what it looks for. */
  isHeld: boolean
  search(limit: number, counted: Counted): Promise<Candidate[]>
}

export const rankingLegs = (deps: RankingDeps, plan: Plan): LegPlan[] => [
  ...textLegs(deps, plan),
  ...queryVectorLegs(deps, plan),
  ...modelLegs(deps, plan, 'vector'),
  ...likeLegs(deps, plan, 'vector'),
  ...pictureLegs(deps, plan),
]

/** Those that fill up where the others found too little. */
export const fallbackLegs = (deps: RankingDeps, plan: Plan): LegPlan[] => [
  ...modelLegs(deps, plan, 'fallback'),
  ...likeLegs(deps, plan, 'fallback'),
]

function textLegs({ texts }: RankingDeps, plan: Plan): LegPlan[] {
  const { query, picture, filter } = plan
  const hasText = query.q.trim() !== ''
  if (!hasText && (Object.keys(query.vector).length > 0 || picture)) return []
  const language = primaryLanguage(query.language ?? null)
  const text = { ...soughtIn(plan), topK: query.topK, ...(language !== null && { language }) }
  const search = (limit: number, counted: Counted) => texts.search({ ...text, ...counted }, filter, limit)
  const name = hasText ? 'text' : 'filter'
  const as = { kind: 'text', plane: 'all', model: 'text', floor: noFloor, isExtra: false, isHeld: true } as const
  return [{ ...as, name, engine: texts.engine, search }]
}
/** One leg for each plane for which the caller sent a query embedding. */
function queryVectorLegs(deps: RankingDeps, plan: Plan): LegPlan[] {
  return queryVectors(deps, plan).map(({ plane, model, vector }) => {
    const floor = floorOf(embedderOf(deps, plane, model)?.model(plane))
    const embed = async () => vector
    const view = { plane, model, floor, kind: 'vector', without: [], isExtra: false, isHeld: true, embed } as const
    return vectorLeg(deps, plan, view)
  })
}

/** Legs of the query's embedding by the planes' models: configured ones rank, the built-in one only fills up. */
function modelLegs(deps: RankingDeps, plan: Plan, kind: 'vector' | 'fallback'): LegPlan[] {
  if (plan.query.q.trim() === '' || plan.like) return []
  return plan.planes
    .filter((plane) => !plan.query.vector[plane])
    .flatMap((plane) =>
      modelViews(deps, plan, plane, async (embedder) => (await embedder.embed(plane, [plan.query.q], 'query'))[0]),
    )
    .filter((view) => view.kind === kind)
    .map((view) => vectorLeg(deps, plan, view))
}

/** Legs of the vectors of a Unit that hits should be like: in its plane, and in others that have the same model. */
function likeLegs(deps: RankingDeps, plan: Plan, kind: 'vector' | 'fallback'): LegPlan[] {
  const { like, planes, models } = plan
  return planes.flatMap((plane) =>
    (like?.vectors ?? []).flatMap(({ model, values }) => {
      const embedder = embedderOf(deps, plane, model)?.model(plane)
      const isHeld = models.some((held) => held.plane === plane && held.model === model)
      if (!isHeld || (embedder === undefined && plane !== like?.plane)) return []
      if ((embedder?.fallback ? 'fallback' : 'vector') !== kind) return []
      const floor = floorOf(embedder)
      const view = { plane, model, floor, kind, without: [], isExtra: false, isHeld, embed: async () => values }
      return [vectorLeg(deps, plan, view)]
    }),
  )
}

/** Legs of the query's picture, in the planes whose model has a tower for pictures. */
function pictureLegs(deps: RankingDeps, plan: Plan): LegPlan[] {
  const { picture } = plan
  if (picture === null) return []
  return plan.planes
    .filter((plane) => readsPictures(deps, plane))
    .flatMap((plane) =>
      modelViews(deps, plan, plane, async (embedder) => {
        const [vector] = (await embedder.embedImages?.(plane, [picture], 'query')) ?? []
        if (!vector) throw new Error('the model does not take this picture')
        return vector
      }),
    )
    .filter((view) => view.readsPictures)
    .map((view) => vectorLeg(deps, plan, { ...view, kind: 'picture', floor: noFloor }))
}

const noFloor: Floor = { any: 0, sameLanguage: 0 }

function floorOf(model: EmbeddingModel | undefined): Floor {
  if (model?.cosines === undefined) return noFloor
  const { floor, floorAcross = floor } = model.cosines
  return { any: floorAcross, sameLanguage: floor }
}

/** A plane's Units in the vectors of one model. */
interface ModelView {
  plane: Plane
  model: string
  floor: Floor
  kind: LegKind
  /** This view leaves out Units that have a vector of these models. */
  without: readonly string[]
  isExtra: boolean
  isHeld: boolean
  /** Whether the model has a tower for pictures. */
  readsPictures: boolean
  embed(): Promise<Float32Array | null>
}

/**
 * Usually one. While the plane changes models, there is one more for each model that can still embed, for the Units
 * that the ones before it lack. If the first one, which is in use, cannot embed, its leg fails.
 */
function modelViews(
  deps: RankingDeps,
  plan: Plan,
  plane: Plane,
  embedBy: (embedder: Inference) => Promise<Float32Array | null | undefined>,
): ModelView[] {
  const views: ModelView[] = []
  const models = modelsToAsk(plan.models, plane, deps.inference.model(plane).name)
  const without: string[] = []
  for (const [i, model] of models.entries()) {
    const embedder = embedderOf(deps, plane, model)
    if (embedder === null && i > 0) continue
    const kind = embedder?.model(plane).fallback ? 'fallback' : 'vector'
    const isHeld = plan.models.some((stored) => stored.plane === plane && stored.model === model)
    const embed = async () => {
      if (embedder === null) throw new Error('no provider embeds queries by the former model')
      return isHeld ? ((await embedBy(embedder)) ?? null) : null
    }
    const floor = floorOf(embedder?.model(plane))
    const readsPictures = embedder?.model(plane).images === true
    views.push({ plane, model, floor, kind, without: [...without], isExtra: i > 0, isHeld, readsPictures, embed })
    if (embedder !== null) without.push(model)
  }
  return views
}

function vectorLeg(
  { vectors }: RankingDeps,
  plan: Plan,
  { plane, model, floor, kind, without, isExtra, isHeld, embed }: Omit<ModelView, 'readsPictures'>,
): LegPlan {
  const search = async (limit: number, counted: Counted) => {
    const vector = await embed()
    return vector ? vectors.search({ plane, model, without, vector, ...counted }, plan.filter, limit) : []
  }
  const name = `${kind === 'picture' ? 'image' : 'vector'}:${plane}${isExtra ? `:${model}` : ''}`
  return { name, kind, plane, model, floor, engine: vectors.engine, isExtra, isHeld, search }
}

/** The caller's own query embeddings for the searched planes, and the models that match their lengths. */
function queryVectors(deps: RankingDeps, plan: Plan): { plane: Plane; model: string; vector: Float32Array }[] {
  return plan.planes.flatMap((plane) => {
    const vector = plan.query.vector[plane]
    if (!vector) return []
    const known = givenModels(deps, plan.models, plane).find(({ dims }) => dims === vector.length)
    return [{ plane, model: known?.model ?? ownModel(deps.inference.model(plane)), vector }]
  })
}

/** Errors: 400 for a vector whose length no model of the plane has. */
export function checkQueryVectors(deps: RankingDeps, plan: Plan): void {
  for (const { plane, vector } of queryVectors(deps, plan)) {
    const dims = givenModels(deps, plan.models, plane).map((known) => known.dims)
    if (dims.length > 0 && !dims.includes(vector.length)) {
      throw new InvalidInputError(['vector', plane], `must have ${[...new Set(dims)].join(' or ')} dimensions`)
    }
  }
}
