import { isDeepStrictEqual } from 'node:util'
import type { BillingFacts, BillingVersion } from '../../model/billing.ts'

/** The current state of an object, from all its versions. */
export interface LatestVersion {
  version: BillingVersion
  facts: BillingFacts
  /** Since when it has had its status, as far as known, in seconds of the provider's clock. */
  since: number
  /** Two versions of the last second contradict each other: only the provider knows which one is right. */
  isDoubtful: boolean
}

/**
 * The newest version of each object. The result depends only on the set of versions, not on the order of arrival or
 * duplicates. Versions are ordered by the provider's own second. Within a second, look-ups come after events, then
 * ranks decide, then ids.
 */
export function latestVersions(versions: Iterable<BillingVersion>): LatestVersion[] {
  const byObject = Map.groupBy(versions, ({ objectId }) => objectId)
  return [...byObject.values()].flatMap((list) => latestVersion(list) ?? [])
}

/** Null for an object without versions. */
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
