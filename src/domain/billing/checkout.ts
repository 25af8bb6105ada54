import { badRequest, billingNotConfigured, forbidden } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import type { Cadence, PaidTier } from '../../model/billing.ts'
import type { Session } from '../../model/session.ts'
import { admit } from '../access/gate.ts'
import type { BillingDeps } from '../bindings/bindings.ts'
import { refreshPayer } from './apply-tier.ts'
import type { CheckoutInput } from './billing-input.ts'
import { type Purchase, purchasesOf, rankOf } from './entitlements.ts'
import { latestVersions } from './latest-versions.ts'
import { recordLookup } from './record.ts'

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
  const needed = async () => {
    const versions = await catalog.billing.versionsOf(principalId)
    requireNeed(purchasesOf(latestVersions(versions), billing.prices, clock.now()), tier, cadence)
  }
  await needed()
  const customer = await customerOf(deps, principalId)
  const { priceId } = price
  // Of two open pages, both could be paid. One that was paid just now may not have been reported yet.
  await payments.closeCheckouts(customer)
  await takeBought(deps, session, customer)
  await needed()
  const order = { principalId, customer, priceId, tier, cadence, returnUrl: billing.returnUrl }
  const { id, url, expiresAt } = await payments.createCheckout(order)
  return catalog.transact(facts.caller.home.id, async (tx) => {
    await tx.audit(auditEntry(session, clock.now(), 'billing.checkout', id, { tier, cadence }))
    return { url, expiresAt }
  })
}

/** Records what the provider says that the customer has bought, as the events would that are still on their way. */
async function takeBought(deps: BillingDeps, session: Session, customer: string): Promise<void> {
  const { catalog, payments, clock } = deps
  const mark = await catalog.billing.mark()
  const versions = await payments.boughtBy(customer)
  if (versions.length === 0) return
  await catalog.provision(
    async (tx) => {
      const payers = new Set<string>()
      for (const version of versions) {
        const { repaired, payer } = await recordLookup(tx.billing, version, mark, clock.now())
        if (repaired && payer !== null) payers.add(payer)
      }
      for (const payer of payers) await refreshPayer(deps, tx, payer, session)
    },
    { kept: false },
  )
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
  await catalog.provision((tx) => tx.billing.bind({ customer, principalId, own: true }, clock.now()), { kept: false })
  return customer
}

/**
 * Opens the provider's page where the caller changes or cancels its purchases. Errors: 403 for a caller who cannot pay;
 * 503 without a provider; 400 for a caller who never started a checkout.
 */
export async function openPortal(deps: BillingDeps, session: Session): Promise<{ url: string }> {
  requirePayer(session, 'createBillingPortal')
  const { payments, catalog, clock, billing } = deps
  if (!payments.configured) throw billingNotConfigured()
  const [customer] = await catalog.billing.customersOf(session.principalId)
  if (customer === undefined) throw badRequest('no subscription exists yet: start with a checkout')
  const url = await payments.createPortal(customer, billing.returnUrl)
  return catalog.transact(session.facts.caller.home.id, async (tx) => {
    await tx.audit(auditEntry(session, clock.now(), 'billing.portal', customer, {}))
    return { url }
  })
}

/** Throws 403 for a caller who cannot pay: the super-admin has no home; a restricted key is not the person. */
function requirePayer(session: Session, operation: 'createCheckout' | 'createBillingPortal'): void {
  if (session.facts.caller.superAdmin)
    throw forbidden('the super-admin has no home namespace to pay for: use the token of a principal')
  admit(session, operation)
}
