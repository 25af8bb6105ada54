import { Slices } from '../../async/pieces.ts'
import { isByScore } from '../../model/search.ts'
import { boosted, isCurrentIn } from './arrange.ts'
import { candidates, lookUpOnce } from './candidates.ts'
import { fused } from './fuse.ts'
import type { RankingDeps } from './legs.ts'
import type { Plan } from './plan.ts'
import { asTyped, namedBy } from './query-syntax.ts'
import { type Hydrated, type Retrieved, retrieve } from './retrieve.ts'

/** How many texts are put before others. */
const maxNamed = 50
/** How many of the best by their words are read, and of common words while none has the name as it is typed. */
const [firstDepth, lastDepth] = [200, 800]

/**
 * What `retrieve` finds, and before it the texts in which the query's name stands as it is typed: word search compares names without
 * their case, and most of them by their words. Not where the order is another one, or that of groups.
 */
export async function retrieveNamed(deps: RankingDeps, plan: Plan): Promise<Retrieved> {
  const { name } = plan.rules
  const { offset, topK, minScore, groupBy, sort } = plan.query
  if (name === null || groupBy !== undefined || !isByScore(sort)) return retrieve(deps, plan)
  const [all, named] = await Promise.all([retrieve(deps, { ...plan, withBefore: true }), namedIn(deps, plan, name)])
  const known = new Map(all.hits.map((hit) => [hit.unitId, hit]))
  // In an order of their own, which is the same on all pages.
  const first = named.map((hit) => ({ ...(known.get(hit.unitId) ?? hit), named: hit.named }))
  for (const { unitId } of named) known.delete(unitId)
  const hits = namedFirst([...first, ...known.values()]).filter(({ score }) => score >= minScore)
  return { ...all, hits: hits.slice(offset, offset + topK), more: all.more || hits.length > offset + topK }
}

/** The best by their words of the texts that have the name. */
async function namedIn(deps: RankingDeps, plan: Plan, name: string): Promise<Hydrated[]> {
  const { excluded } = plan.rules
  // What an index remembers of a text decides nothing while it may be behind.
  const filter = plan.mayBeWrong ? plan.filter : { ...plan.filter, phrases: { required: [name], excluded } }
  // No vector is needed to find a name.
  const byWords = { ...plan, filter, planes: [], query: { ...plan.query, offset: 0 } }
  const lookUp = lookUpOnce(deps, plan)
  const exactness = namedBy(name, deps.analysis)
  const slices = new Slices()
  for (let depth = firstDepth; ; depth *= 4) {
    const { legs } = await candidates(deps, byWords, depth, null)
    const fusion = await fused(deps, byWords, legs)
    const { entries, explain } = await boosted(deps, byWords, fusion, isCurrentIn(plan, plan.mayBeWrong))
    const units = await lookUp(entries.map(({ unitId }) => unitId))
    const found: Hydrated[] = []
    for (const { unitId, score } of entries) {
      const unit = units.get(unitId)
      const named = unit ? exactness(unit) : 0
      if (unit && named > 0) found.push({ unitId, score, unit, named, explain: explain(unitId) })
      if (slices.isOver) await slices.next()
    }
    const isDone = depth >= lastDepth || !legs.some(({ full }) => full)
    if (isDone || found.some(({ named }) => named === asTyped)) return namedFirst(found).slice(0, maxNamed)
  }
}

/** Those that have the query's name more exactly first. No score is lower than one after it. */
export function namedFirst<T extends Pick<Hydrated, 'named' | 'score'>>(hits: readonly T[]): T[] {
  if (hits.every(({ named = 0 }) => named === 0)) return [...hits]
  let highest = 0
  return hits
    .toSorted((a, b) => (b.named ?? 0) - (a.named ?? 0))
    .reverse()
    .map((hit) => {
      highest = Math.max(highest, hit.score)
      return { ...hit, score: highest }
    })
    .reverse()
}
