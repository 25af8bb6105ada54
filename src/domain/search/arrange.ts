import { Slices } from '../../async/pieces.ts'
import type { Facet } from '../../model/doc.ts'
import { compareTexts } from '../../model/filter.ts'
import { isByScore, type LegExplanation, type SearchQuery, type SortKey } from '../../model/search.ts'
import type { Unit } from '../../model/unit.ts'
import { candidates, type Leg, type LookUp } from './candidates.ts'
import { countFacets } from './facets.ts'
import { type Fused, type Fusion, fused } from './fuse.ts'
import type { RankingDeps } from './legs.ts'
import type { Plan } from './plan.ts'
import { wireNameOf } from './unit-fields.ts'
import { fieldValues, nothing, type Value, valuesOf } from './unit-values.ts'

/** What was found, in the order of the hits. */
export interface Arranged extends Pick<Fusion, 'explain'> {
  entries: readonly Fused[]
  /** The catalog has shown all that come before the page. */
  isKnown: boolean
  /** The catalog did not show some: the index is behind. */
  stale: boolean
  /** Of all that was found; null if the query asks for none. */
  facets: Facet[] | null
}

/** What texts must have of what was found by letters, or from another language. */
export interface Checks {
  /** Those of the entries that are worth reading. */
  limited(entries: readonly Fused[]): readonly Fused[]
  passes(entry: Fused, unit: Unit): boolean
}

interface Found {
  plan: Plan
  lookUp: LookUp
  legs: readonly Leg[]
  /** Of each leg. */
  depth: number
  fusion: Fusion
  checks: Checks
  /** The index may hold Units that were hidden since. */
  isDoubtful: boolean
}

/** Whether hits are the best of the first legs, in their order. */
export const isPlain = ({ offset, groupBy, sort, facets }: SearchQuery): boolean =>
  offset === 0 && groupBy === undefined && sort.length === 0 && facets.length === 0

/** Of each leg: what is sorted, counted and paged through. */
const everything = 10_000
/** No deeper for texts with phrases or without words, where the index could not tell them. */
export const lastDepth = 3200

/** Places that the text index may fill otherwise for more hits. */
const head = 10

/** Sorts, groups and continues what the first legs found, as far as the query asks for it. */
export async function arrange(deps: RankingDeps, found: Found): Promise<Arranged> {
  const { plan, legs, depth, fusion } = found
  const { query } = plan
  if (isPlain(query)) return { ...fusion, isKnown: false, stale: false, facets: null }
  const isSorted = !isByScore(query.sort)
  const isWhole = isSorted || query.facets.length > 0
  const end = query.offset + query.topK
  let whole = fusion
  if (!query.groupBy && !isSorted && query.topK <= head && end > head) {
    // As the pages before had it: the first places by the legs for few hits, the others by those for many.
    const many = { ...plan, query: { ...query, topK: head + 1 } }
    whole = joined({ ...whole, entries: whole.entries.slice(0, head) }, await fusionOf(deps, found, many, depth))
  }
  // Texts with words come before what shares only letters, also where more of the first ones were rejected than are left.
  const isTextFull = legs.some(({ kind, full }) => kind === 'text' && full)
  const decided = isTextFull ? whole.entries.filter(({ check }) => check !== 'letters') : whole.entries
  if (legs.some(({ full }) => full) && (isWhole || query.groupBy || decided.length <= end)) {
    const rest = await fusionOf(deps, found, { ...plan, rough: true }, hasRules(plan) ? lastDepth : everything)
    // Those whose texts would have to be read are too many.
    whole = joined(whole, { ...rest, entries: rest.entries.filter(({ check }) => check === null) })
  }
  let entries: readonly Fused[] = whole.entries.filter(
    ({ score, check }) => score >= query.minScore && !(isSorted && check === 'letters'),
  )
  if (isWhole || query.groupBy) entries = await passing(found, entries)
  const isCurrent = isCurrentIn(plan, found.isDoubtful)
  const facets = query.facets.length > 0 ? await countFacets(deps, plan, entries.slice(0, everything), isCurrent) : null
  if (isPlain({ ...query, facets: [] })) return { ...whole, entries, isKnown: false, stale: false, facets }
  const fields = [
    ...query.sort.flatMap(({ by }) => (by === 'score' ? [] : [by])),
    ...(query.groupBy ? [query.groupBy] : []),
  ]
  const asked = fields.length > 0 ? entries : entries.slice(0, end + 1)
  const values = await fieldValues(deps, plan, asked, { fields, conditions: [] }, isCurrent)
  const shown = entries.flatMap((entry, i): Valued[] => {
    const own = i < asked.length ? values[i] : []
    return own ? [{ entry, own }] : []
  })
  const sorted = query.sort.length > 0 ? inOrder(shown, query.sort) : shown
  return {
    entries: query.groupBy ? grouped(sorted, query.groupSize, fields.length - 1) : sorted.map(({ entry }) => entry),
    explain: whole.explain,
    isKnown: true,
    facets,
    stale: shown.length < entries.length,
  }
}

async function fusionOf(deps: RankingDeps, found: Found, plan: Plan, depth: number): Promise<Fusion> {
  const shown = (unitIds: readonly string[]) => valuesOf(deps.catalog.units, plan, unitIds, nothing)
  // What texts must have is decided by reading them.
  const seen = hasRules(plan) ? found.lookUp : found.isDoubtful ? shown : null
  const { legs } = await candidates(deps, plan, depth, seen)
  return boosted(deps, plan, await fused(deps, plan, legs), isCurrentIn(plan, found.isDoubtful))
}

/** Whether the index holds what the catalog does: texts with rules are doubtful for another reason. */
export const isCurrentIn = (plan: Plan, isDoubtful: boolean): boolean =>
  !isDoubtful || (hasRules(plan) && !plan.mayBeWrong)

const hasRules = ({ rules: { required, excluded } }: Plan): boolean => required.length + excluded.length > 0

/** How many texts are read at a time. */
const texts = 50

/** Those whose texts pass; texts are read only where it depends on them. */
async function passing({ lookUp, checks }: Found, entries: readonly Fused[]): Promise<readonly Fused[]> {
  const considered = checks.limited(entries)
  const open = considered.filter(({ check }) => check !== null)
  const failed = new Set<Fused>()
  const slices = new Slices()
  for (let start = 0; start < open.length; start += texts) {
    const chunk = open.slice(start, start + texts)
    const units = await lookUp(chunk.map(({ unitId }) => unitId))
    for (const entry of chunk) {
      const unit = units.get(entry.unitId)
      if (unit && !checks.passes(entry, unit)) failed.add(entry)
      if (slices.isOver) await slices.next()
    }
  }
  if (open.length === 0) return considered
  return considered
    .filter((entry) => !failed.has(entry))
    .map((entry) => (entry.check === null ? entry : { ...entry, check: null }))
}

/** What the second one alone has comes after what the first one has, with no higher score, and before what only letters found. */
function joined(first: Fusion, second: Fusion): Fusion {
  const sure = first.entries.filter(({ check }) => check !== 'letters')
  const known = new Set(sure.map(({ unitId }) => unitId))
  const lowest = sure.reduce((min, { score }) => Math.min(min, score), 1)
  const rest = second.entries.filter(({ unitId }) => !known.has(unitId))
  // The second one has thousands, so sets are made of the first one alone.
  const byLetters = new Map(
    first.entries.flatMap((entry) => (entry.check === 'letters' ? [[entry.unitId, entry]] : [])),
  )
  for (const entry of rest) {
    entry.score = Math.min(entry.score, lowest)
    byLetters.delete(entry.unitId)
  }
  const isOfFirst = (unitId: string) => known.has(unitId) || byLetters.has(unitId)
  return {
    ...first,
    entries: [...sure, ...rest, ...byLetters.values()],
    explain: (unitId) => (isOfFirst(unitId) ? first : second).explain(unitId),
  }
}

/** An entry with what it is sorted by and grouped by. */
interface Valued {
  entry: Fused
  own: readonly Value[]
}

/** By the keys, then by id. A Unit without a value comes last, whatever the order. */
function inOrder(entries: readonly Valued[], sort: readonly SortKey[]): readonly Valued[] {
  const columns = sort.filter(({ by }) => by !== 'score')
  const keys = sort.map((key) => {
    const column = columns.indexOf(key)
    const valueIn = ({ entry, own }: Valued): Value => (key.by === 'score' ? entry.score : (own[column] ?? null))
    return { valueIn, sign: key.order === 'asc' ? 1 : -1 }
  })
  return entries.toSorted((a, b) => {
    for (const { valueIn, sign } of keys) {
      const [one, other] = [valueIn(a), valueIn(b)]
      if (one === other) continue
      const [lacks, otherLacks] = [rankOf(one) < 0, rankOf(other) < 0]
      if (lacks !== otherLacks) return lacks ? 1 : -1
      const order = lacks ? 0 : sign * compare(one, other)
      if (order !== 0) return order
    }
    return a.entry.unitId < b.entry.unitId ? -1 : 1
  })
}

/** Numbers come before texts, and those before booleans; lists have no order. */
const rankOf = (value: Value): number => ordered.indexOf(typeof value)
const ordered = ['number', 'string', 'boolean']

function compare(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  return rankOf(a) - rankOf(b) || Number(a) - Number(b)
}

/** The best of each value, with the best `size` of it. Those without a value stand for themselves. */
function grouped(entries: readonly Valued[], size: number, column: number): Fused[] {
  const leaders = new Map<string, Fused & { members: Fused[] }>()
  for (const { entry, own } of entries) {
    const value = own[column] ?? null
    const key = value === null ? `unit ${entry.unitId}` : `value ${JSON.stringify(value)}`
    const leader = leaders.get(key)
    if (leader === undefined) leaders.set(key, { ...entry, value, members: [entry] })
    else if (leader.members.length < size) leader.members.push(entry)
  }
  return [...leaders.values()]
}

const msPerDay = 86_400_000

/**
 * The scores multiplied by what the query says of Units, best first. What only letters found stays behind all others. A Unit
 * without the date, or that the catalog does not show, keeps its score.
 */
export async function boosted(deps: RankingDeps, plan: Plan, fusion: Fusion, isCurrent: boolean): Promise<Fusion> {
  const { boost } = plan.query
  if (boost.length === 0) return fusion
  const asked = {
    fields: boost.flatMap((one) => ('by' in one ? [one.by] : [])),
    conditions: boost.flatMap((one) => ('filter' in one ? [one.filter] : [])),
  }
  const values = await fieldValues(deps, plan, fusion.entries, asked, isCurrent)
  const now = deps.clock.now()
  const explained = new Map<string, LegExplanation[]>()
  for (const [i, entry] of fusion.entries.entries()) {
    const found = values[i]
    if (found === undefined) continue
    let [field, condition] = [0, asked.fields.length]
    const factors = boost.map((one) =>
      'by' in one ? decay(now - timeOf(found[field++] ?? null), one.halfLifeDays) : found[condition++] ? one.weight : 1,
    )
    entry.score *= factors.reduce((product, factor) => product * factor, 1)
    explained.set(
      entry.unitId,
      factors.flatMap((factor, i) => {
        const one = boost[i]
        if (factor === 1 || one === undefined) return []
        const leg = 'by' in one ? `boost:${wireNameOf(one.by)}` : 'boost:filter'
        return [{ leg, rank: i + 1, score: factor, normalized: Math.min(1, factor), weight: Math.max(1, factor) }]
      }),
    )
  }
  return {
    ...fusion,
    entries: byProduct(fusion.entries),
    explain: (unitId) => [...fusion.explain(unitId), ...(explained.get(unitId) ?? [])],
  }
}

/** By the product, which is shown up to 1. */
function byProduct(entries: readonly Fused[]): Fused[] {
  const [letters, sure] = [true, false].map((isLast) =>
    entries
      .filter(({ check }) => (check === 'letters') === isLast)
      .sort((a, b) => b.score - a.score || (a.unitId < b.unitId ? -1 : 1)),
  ) as [Fused[], Fused[]]
  const sorted = [...sure, ...letters]
  let least = 1
  for (const entry of sorted) {
    least = Math.min(least, entry.score)
    entry.score = least
  }
  return sorted
}

/** 1 for no time, and for the future. */
const decay = (age: number, halfLifeDays: number): number =>
  Number.isNaN(age) ? 1 : 0.5 ** (Math.max(0, age) / (halfLifeDays * msPerDay))

const isoDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/

/** Epoch milliseconds; NaN for what is not a time. A time without a zone is in UTC. */
function timeOf(value: Value): number {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || !isoDate.test(value)) return Number.NaN
  return Date.parse(/T[\d:.]+$/.test(value) ? `${value}Z` : value)
}
