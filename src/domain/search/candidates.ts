import { InvalidInputError } from '../../errors.ts'
import { matches } from '../../model/filter.ts'
import { primaryLanguage } from '../../model/language.ts'
import type { LegTrace } from '../../model/search.ts'
import type { SearchLeg } from '../../model/telemetry.ts'
import type { Plane, Unit } from '../../model/unit.ts'
import type { Candidate, Contest, Counted } from '../../ports/indexes/index-filter.ts'
import type { EmbeddingModel, Inference } from '../../ports/models/inference.ts'
import {
  type Bindings,
  type DomainSettings,
  embedderOf,
  givenModels,
  modelsToAsk,
  ownModel,
} from '../bindings/bindings.ts'
import type { Deadlines } from '../turns/turns.ts'
import { type Plan, soughtIn } from './plan.ts'
import { readsPictures } from './query-picture.ts'
import { keepsTo } from './query-syntax.ts'

export type LegKind = 'text' | 'vector' | 'picture' | 'fallback'

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

export interface Floor {
  any: number
  sameLanguage: number
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

interface LegPlan {
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
  const ranking = [
    ...textLegs(deps, plan),
    ...queryVectorLegs(deps, plan),
    ...modelLegs(deps, plan, 'vector'),
    ...likeLegs(deps, plan, 'vector'),
    ...pictureLegs(deps, plan),
  ]
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
  const fallbacks = [...modelLegs(deps, plan, 'fallback'), ...likeLegs(deps, plan, 'fallback')]
  const fallback = await runAll(deps, fallbacks, limit, countedIn(plan), seen, plan.like?.unitId)
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
