import { createLimiter } from '../../async/limits.ts'
import { badRequest, billingNotConfigured, billingUnavailable, forbidden } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import type { Session } from '../../model/session.ts'
import { type Cadence, type PaidTier, paidTiers, tiers } from '../../model/tiers.ts'
import type { Catalog } from '../../ports/catalog.ts'
import type { Amount, Payments } from '../../ports/payments.ts'
import { admit } from '../access/gate.ts'
import { createBackgroundWork } from '../background/background.ts'
import type { BillingDeps } from '../bindings/bindings.ts'
import type { CheckoutInput, ReconcileInput, WebhookInput } from './billing-input.ts'
import { getSubscription, latestVersions, type Purchase, purchasesOf, rankOf } from './entitlements.ts'
import { receiveEvent, recordLookup, refreshPayer } from './receive-event.ts'
import { askProvider, cancelForDeleted, lapseTiers, reconcile } from './reconcile.ts'

interface Listed {
  amounts: ReadonlyMap<string, Amount>
  links: readonly { priceId: string; url: string }[]
}

const freshMs = 60_000
const failedMs = 5_000

/** Public, so the provider is called once a minute at most. If it fails, its last response is used. */
function createPlans({ payments, billing, clock, log }: Pick<BillingDeps, 'payments' | 'billing' | 'clock' | 'log'>) {
  let listed: Listed = { amounts: new Map(), links: [] }
  let askedAt = Number.NEGATIVE_INFINITY
  let goodMs = 0
  let asking: Promise<void> | null = null

  const ask = async () => {
    try {
      listed = await listPrices(
        payments,
        billing.prices.map(({ priceId }) => priceId),
      )
      goodMs = freshMs
    } catch (err) {
      log.warn({ err }, 'the payment provider did not list its prices')
      goodMs = failedMs
    }
    askedAt = clock.now()
  }

  return async () => {
    if (payments.configured && Math.abs(clock.now() - askedAt) >= goodMs) {
      asking ??= ask().finally(() => {
        asking = null
      })
      await asking
    }
    const { prices, publishableKey } = billing
    return {
      plans: paidTiers.map((tier) => ({ ...featuresOf(tier), offers: offersOf(tier) })),
      paymentLinks: prices.flatMap(({ tier, cadence, priceId }) =>
        listed.links.filter((link) => link.priceId === priceId).map(({ url }) => ({ tier, cadence, url })),
      ),
      publishableKey,
      configured: payments.configured,
    }
  }

  function offersOf(tier: PaidTier) {
    const ofTier = billing.prices.filter((price) => price.tier === tier)
    return ofTier.map(({ cadence, priceId }) => {
      const { currency = null, unitAmount = null } = listed.amounts.get(priceId) ?? {}
      return { cadence, priceId, currency, unitAmount }
    })
  }
}

function featuresOf(tier: PaidTier) {
  const { planes, maxDocuments, maxNamespaces, answers, rerank, audit } = tiers[tier]
  return { tier, planes, maxDocuments, maxNamespaces, answers, rerank, audit }
}

async function listPrices(payments: Payments, priceIds: readonly string[]): Promise<Listed> {
  const [amounts, links] = await Promise.all([payments.amounts(priceIds), payments.paymentLinks()])
  return { amounts, links }
}

/**
 * Opens a page on which the caller pays for its own home and the namespaces that it owns. Errors: 403 for a caller who
 * cannot pay; 503 without a provider; 400 for what is not sold, or would be paid for twice.
 */
async function createCheckout(deps: BillingDeps, session: Session, { tier, cadence }: CheckoutInput) {
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
async function openPortal(deps: BillingDeps, session: Session): Promise<{ url: string }> {
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

export function createBilling(bound: BillingDeps) {
  // Separate, so that a provider that hangs does not block anything else.
  const background = createBackgroundWork([lapseTiers(bound), askProvider(bound), cancelForDeleted(bound)], bound.log)
  const checkouts = createLimiter({ max: 1 })
  const deps = { ...bound, billingBackground: background }
  return {
    background,
    /** What the provider and visitors may call, without a session. */
    open: {
      plans: createPlans(deps),
      receiveEvent: (event: WebhookInput, requestId: string) => receiveEvent(deps, event, requestId),
      reconcile: (input: ReconcileInput, requestId: string) => reconcile(deps, input, requestId),
    },
    servicesFor: (session: Session) => ({
      subscription: () => getSubscription(deps, session),
      checkout: (input: CheckoutInput) =>
        checkouts.run({ key: session.principalId }, () =>
          onOneReplica(deps, `checkout ${session.principalId}`, () => createCheckout(deps, session, input)),
        ),
      portal: () => openPortal(deps, session),
    }),
  }
}

/** Runs it unless another replica runs work of this name just now: that is 503, and may be tried again. */
async function onOneReplica<T extends object>(
  { catalog }: { catalog: Pick<Catalog, 'withClusterLock'> },
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  if (!catalog.withClusterLock) return work()
  const done = await catalog.withClusterLock(name, work)
  if (done === null) throw billingUnavailable()
  return done
}
