import { isDeepStrictEqual } from 'node:util'
import type { BillingFacts, BillingVersion } from '../../model/billing.ts'

/** An object as it stands, after all that was said of it. */
export interface LatestVersion {
  version: BillingVersion
  facts: BillingFacts
  /** Since when its status has been what it is, in the provider's seconds, as far as is known. */
  since: number
  /** Two versions of the last second contradict each other: only the provider knows which one holds. */
  isDoubtful: boolean
}

/**
 * The newest version of each object. A function of the set alone: in which order versions came in, and how often,
 * changes nothing. Versions are ordered by the provider's own second; within one, what was looked up comes after what
 * events said, then ranks, then ids decide.
 */
export function latestVersions(versions: Iterable<BillingVersion>): LatestVersion[] {
  const byObject = Map.groupBy(versions, ({ objectId }) => objectId)
  return [...byObject.values()].flatMap((list) => latestVersion(list) ?? [])
}

/** Null for an object of which nothing is known. */
export function latestVersion(versions: readonly BillingVersion[]): LatestVersion | null {
  const ordered = [...versions].sort(compare)
  const newest = ordered.at(-1)
  if (!newest) return null
  const rivals = ordered.filter(({ at }) => at === newest.at)
  const isDoubtful = newest.source === 'event' && rivals.some(({ facts }) => !isDeepStrictEqual(facts, newest.facts))
  return { version: newest, facts: newest.facts, since: sinceOf(ordered, newest), isDoubtful }
}

function compare(a: BillingVersion, b: BillingVersion): number {
  const bySource = Number(a.source === 'lookup') - Number(b.source === 'lookup')
  return a.at - b.at || bySource || a.rank - b.rank || (a.id < b.id ? -1 : Number(a.id > b.id))
}

const statusOf = (facts: BillingFacts) => ('status' in facts ? facts.status : null)

function sinceOf(ordered: readonly BillingVersion[], newest: BillingVersion): number {
  const status = statusOf(newest.facts)
  let since = newest.at
  for (const { at, facts } of ordered.toReversed()) {
    if (statusOf(facts) !== status) break
    since = at
  }
  return since
}
