import { badRequest, billingNotConfigured } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import type { Cadence, PaidTier } from '../../model/billing.ts'
import type { Session } from '../../model/session.ts'
import type { CheckoutInput } from './billing-input.ts'
import type { BillingDeps } from './deps.ts'
import { type Purchase, purchasesOf, rankOf } from './entitlements.ts'
import { latestVersions } from './latest-versions.ts'
import { requirePayer } from './payer.ts'

export interface Checkout {
  /** The provider's page. */
  url: string
  /** When the page expires, epoch milliseconds. */
  expiresAt: number
}

/**
 * Opens a page on which the caller pays for its own home and the namespaces that it owns. Errors: 403 for a caller who
 * cannot pay; 503 without a provider; 400 for what is not sold, or would be paid for twice.
 */
export async function createCheckout(
  deps: BillingDeps,
  session: Session,
  { tier, cadence }: CheckoutInput,
): Promise<Checkout> {
  requirePayer(session, 'createCheckout')
  const { payments, catalog, clock, billing } = deps
  if (!payments.configured) throw billingNotConfigured()
  const price = billing.prices.find((one) => one.tier === tier && one.cadence === cadence)
  if (!price) throw badRequest(`cadence: the ${tier} tier is not sold ${cadence}; GET /v1/billing/plans lists what is`)
  const { principalId, facts } = session
  const versions = await catalog.billing.versionsOf(principalId)
  requireNeed(purchasesOf(latestVersions(versions), billing.prices, clock.now()), tier, cadence)
  const customer = await customerOf(deps, principalId)
  const { priceId } = price
  const order = { principalId, customer, priceId, tier, cadence, returnUrl: billing.returnUrl }
  const { id, url, expiresAt } = await payments.createCheckout(order)
  await catalog.transact(facts.caller.home.id, (tx) =>
    tx.audit(auditEntry(session, clock.now(), 'billing.checkout', id, { tier, cadence })),
  )
  return { url, expiresAt }
}

/** Prevents a second subscription, and a payment for what the caller has for life. */
function requireNeed(purchases: readonly Purchase[], tier: PaidTier, cadence: Cadence): void {
  const active = purchases.filter((purchase) => purchase.active)
  if (active.some((one) => one.cadence === 'lifetime' && rankOf(one.tier) >= rankOf(tier))) {
    throw badRequest(`tier: ${tier} is already paid for, for life; choose a higher one`)
  }
  if (cadence !== 'lifetime' && active.some((one) => one.cadence !== 'lifetime')) {
    throw badRequest('tier: a subscription exists; change it in the billing portal')
  }
}

/** Created once: two concurrent calls get the same customer, because the provider creates one per principal. */
async function customerOf({ catalog, payments, clock }: BillingDeps, principalId: string): Promise<string> {
  const [first] = await catalog.billing.customersOf(principalId)
  if (first !== undefined) return first
  const customer = await payments.createCustomer(principalId)
  await catalog.provision((tx) => tx.billing.bind({ customer, principalId, own: true }, clock.now()))
  return customer
}
