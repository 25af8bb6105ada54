import type { LegExplanation } from '../../model/search.ts'
import type { RankingDeps } from './candidates.ts'
import type { Fused, Fusion } from './fuse.ts'
import type { Plan } from './plan.ts'
import { wireNameOf } from './unit-fields.ts'
import { fieldValues, type Value } from './unit-values.ts'

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
  const ids = fusion.entries.map(({ unitId }) => unitId)
  const values = await fieldValues(deps, plan, ids, asked, isCurrent)
  const now = deps.clock.now()
  const explained = new Map<string, LegExplanation[]>()
  for (const entry of fusion.entries) {
    const found = values.get(entry.unitId)
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
    entries: inOrder(fusion.entries),
    explain: (unitId) => [...fusion.explain(unitId), ...(explained.get(unitId) ?? [])],
  }
}

/** By the product, which is shown up to 1. */
function inOrder(entries: readonly Fused[]): Fused[] {
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
