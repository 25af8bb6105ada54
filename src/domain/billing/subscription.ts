import type { PaidTier } from '../../model/billing.ts'
import type { Session } from '../../model/session.ts'
import type { TierName } from '../../model/tiers.ts'
import type { BillingDeps } from '../bindings/bindings.ts'
import { outcomeOf, type Purchase, purchasesOf } from './entitlements.ts'
import { latestVersions } from './latest-versions.ts'

export interface SubscriptionView {
  namespace: string
  /** The tier of the caller's home. */
  tier: TierName
  /** The tier of the caller's own payments; null if they give none. */
  paidTier: PaidTier | null
  /** When that changes if nothing happens before, epoch milliseconds. */
  changesAt: number | null
  /** What the caller bought, including what has ended, in order of first notice. */
  subscriptions: Purchase[]
}

/** The caller's home and its own purchases. The super-admin has no home: it gets the target namespace, no purchases. */
export async function getSubscription(deps: BillingDeps, session: Session): Promise<SubscriptionView> {
  const { catalog, billing, clock } = deps
  const { caller } = session.facts
  const { name: namespace, tier } = caller.superAdmin ? session.namespace : caller.home
  const versions = caller.superAdmin ? [] : await catalog.billing.versionsOf(session.principalId)
  const subscriptions = purchasesOf(latestVersions(versions), billing.prices, clock.now())
  const { tier: paidTier, changesAt } = outcomeOf(subscriptions)
  return { namespace, tier, paidTier, changesAt, subscriptions }
}
