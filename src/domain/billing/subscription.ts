import type { PaidTier } from '../../model/billing.ts'
import type { Session } from '../../model/session.ts'
import type { TierName } from '../../model/tiers.ts'
import type { BillingDeps } from './deps.ts'
import { outcomeOf, type Purchase, purchasesOf } from './entitlements.ts'
import { latestVersions } from './latest-versions.ts'

export interface SubscriptionView {
  namespace: string
  /** Of the caller's home. */
  tier: TierName
  /** What the caller's own payments come to; null when they come to nothing. */
  paidTier: PaidTier | null
  /** When that changes unless something happens, epoch milliseconds. */
  changesAt: number | null
  /** What the caller bought, what has ended included, in the order in which it was first heard of. */
  subscriptions: Purchase[]
}

/** The caller's home and its own purchases. The super-admin, at home nowhere, gets the targeted namespace and no rows. */
export async function getSubscription(deps: BillingDeps, session: Session): Promise<SubscriptionView> {
  const { catalog, billing, clock } = deps
  const { caller } = session.facts
  const { name: namespace, tier } = caller.superAdmin ? session.namespace : caller.home
  const versions = caller.superAdmin ? [] : await catalog.billing.versionsOf(session.principalId)
  const subscriptions = purchasesOf(latestVersions(versions), billing.prices, clock.now())
  const { tier: paidTier, changesAt } = outcomeOf(subscriptions)
  return { namespace, tier, paidTier, changesAt, subscriptions }
}
