import { isDeepStrictEqual } from 'node:util'
import type { Session } from '../../model/session.ts'
import {
  type BillingFacts,
  type BillingVersion,
  type Cadence,
  type PaidTier,
  type Price,
  type PricePaid,
  paidTiers,
  type SessionFacts,
  type SubscriptionFacts,
  type TierName,
} from '../../model/tiers.ts'
import type { BillingDeps } from '../bindings/bindings.ts'

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

/** Something that was bought. Times are epoch milliseconds. */
export interface Purchase {
  /** The provider's id. */
  id: string
  cadence: Cadence | null
  tier: PaidTier | null
  /** The provider's status of a subscription; for a lifetime purchase `paid`, `unpaid`, `refunded` or `disputed`. */
  status: string
  /** Whether it counts now. */
  active: boolean
  /** When it stops counting if nothing changes; null when no end is known. */
  endsAt: number | null
  /** When the paid or due period ends; null for a lifetime purchase. */
  periodEnd: number | null
}

/** How long a subscription still counts after its payment failed, while the provider tries again. */
const graceMs = 14 * 24 * 60 * 60 * 1000

/** In any other state, a dispute took the money back, temporarily or permanently. */
const harmlessDisputes = ['won', 'warning_needs_response', 'warning_under_review', 'warning_closed', 'prevented']

/** The purchases that the objects of one payer amount to at a time. */
export function purchasesOf(
  latestVersions: readonly LatestVersion[],
  prices: readonly Price[],
  now: number,
): Purchase[] {
  const known = new Set(latestVersions.map(({ version }) => version.objectId))
  return latestVersions.flatMap((latestVersion) => {
    const { facts } = latestVersion
    if (facts.kind === 'subscription') return subscription(latestVersion, facts, prices, now)
    if (facts.kind !== 'session') return []
    if (facts.mode === 'payment') return lifetime(latestVersion, facts, latestVersions, prices)
    // It was paid for, but its subscription object has not arrived yet.
    const announced = facts.paid && facts.subscription !== null && !known.has(facts.subscription)
    return announced ? announcedSubscription(facts, prices) : []
  })
}

function subscription(
  { version, since }: LatestVersion,
  facts: SubscriptionFacts,
  prices: readonly Price[],
  now: number,
) {
  const { status } = facts
  const endsAt = status === 'past_due' ? earlier(inMs(facts.endsAt), since * 1000 + graceMs) : inMs(facts.endsAt)
  const counts = status === 'active' || status === 'trialing' || status === 'past_due'
  const active = counts && (endsAt === null || now < endsAt)
  const { tier, cadence } = soldAs(facts, prices)
  const periodEnd = inMs(facts.periodEnd)
  return [{ id: version.objectId, cadence, tier, status, active, endsAt: active ? endsAt : null, periodEnd }]
}

function lifetime(
  { version }: LatestVersion,
  facts: SessionFacts,
  all: readonly LatestVersion[],
  prices: readonly Price[],
) {
  const { tier, cadence } = soldAs(facts, prices)
  const status = facts.paid ? paymentStatus(version.paymentIntent, all) : 'unpaid'
  const purchase = { id: version.objectId, cadence: cadence ?? ('lifetime' as const), tier, status }
  return [{ ...purchase, active: status === 'paid', endsAt: null, periodEnd: null }]
}

/** A partial refund changes nothing; a full refund changes it, and so does a dispute that was not won. */
function paymentStatus(paymentIntent: string | null, all: readonly LatestVersion[]): 'paid' | 'refunded' | 'disputed' {
  const same = all.filter(({ version }) => paymentIntent !== null && version.paymentIntent === paymentIntent)
  for (const { facts } of same) {
    if (facts.kind === 'charge' && facts.amount > 0 && facts.refunded >= facts.amount) return 'refunded'
  }
  for (const { facts } of same) {
    if (facts.kind === 'dispute' && !harmlessDisputes.includes(facts.status)) return 'disputed'
  }
  return 'paid'
}

function announcedSubscription(facts: SessionFacts, prices: readonly Price[]): Purchase[] {
  if (facts.subscription === null) return []
  const { tier, cadence } = soldAs(facts, prices)
  return [{ id: facts.subscription, cadence, tier, status: 'active', active: true, endsAt: null, periodEnd: null }]
}

interface Sold {
  tier: PaidTier | null
  cadence: Cadence | null
}

/** The best of its prices: first those that are sold, then what a price or the object itself declares. */
function soldAs(
  { tier, prices: paid }: { tier: PaidTier | null; prices: readonly PricePaid[] },
  sold: readonly Price[],
): Sold {
  const options = paid.map((one): Sold => {
    const price = sold.find(({ priceId }) => priceId === one.id)
    return { tier: price?.tier ?? one.tier, cadence: price?.cadence ?? null }
  })
  const best = options.filter((option) => option.tier !== null).sort((a, b) => rankOf(b.tier) - rankOf(a.tier))[0]
  return best ?? { tier, cadence: null }
}

/** The highest tier that counts, and the next time when a purchase stops counting. */
export function outcomeOf(purchases: readonly Purchase[]): { tier: PaidTier | null; changesAt: number | null } {
  const active = purchases.filter((purchase) => purchase.active)
  const tier = paidTiers.findLast((name) => active.some((purchase) => purchase.tier === name)) ?? null
  const changesAt = active.reduce<number | null>((first, { endsAt }) => earlier(first, endsAt), null)
  return { tier, changesAt }
}

/** Free is 0. */
export function rankOf(tier: TierName | null): number {
  return tier === null || tier === 'free' ? 0 : paidTiers.indexOf(tier) + 1
}

const inMs = (seconds: number | null) => (seconds === null ? null : seconds * 1000)

function earlier(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b
  return Math.min(a, b)
}

/** The caller's home and its own purchases. The super-admin has no home: it gets the target namespace, no purchases. */
export async function getSubscription(deps: BillingDeps, session: Session) {
  const { catalog, billing, clock } = deps
  const { caller } = session.facts
  const { name: namespace, tier } = caller.superAdmin ? session.namespace : caller.home
  const versions = caller.superAdmin ? [] : await catalog.billing.versionsOf(session.principalId)
  const subscriptions = purchasesOf(latestVersions(versions), billing.prices, clock.now())
  const { tier: paidTier, changesAt } = outcomeOf(subscriptions)
  return { namespace, tier, paidTier, changesAt, subscriptions }
}
