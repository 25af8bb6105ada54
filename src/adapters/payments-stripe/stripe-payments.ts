import type { Stripe } from 'stripe'
import { billingUnavailable } from '../../errors.ts'
import type { Log } from '../../model/log.ts'
import type { ReportedVersion } from '../../model/tiers.ts'
import type { Amount, Page, Payments } from '../../ports/payments.ts'
import { createGuarded, type Guarded, ObjectNotFoundError } from './guarded.ts'
import { chargeWithin, createReadEvent, isForeign, type Mode, modeOf, toEvent, toLookup } from './read-event.ts'
import type { StripeConfig } from './stripe-config.ts'

const pageSize = 100

/** What a list of purchases has to tell of each. */
const paidWith = ['data.line_items', 'data.payment_intent.latest_charge']

/** The event types in which missed deliveries are searched: at most 20, as Stripe allows. */
const eventTypes = [
  ...['created', 'updated', 'deleted', 'paused', 'resumed'].map((word) => `customer.subscription.${word}`),
  ...['completed', 'async_payment_succeeded', 'async_payment_failed'].map((word) => `checkout.session.${word}`),
  ...['created', 'updated', 'closed', 'funds_withdrawn', 'funds_reinstated'].map((word) => `charge.dispute.${word}`),
  'charge.refunded',
]

/** Stripe through its SDK. Without a key, calls that need one fail with 503 `billing_not_configured`. */
export function createStripePayments(config: StripeConfig, log: Pick<Log, 'warn'>): Payments {
  const guarded = createGuarded(config, log)
  const mode = modeOf(config.secretKey)
  return {
    configured: config.secretKey !== null,
    readEvent: createReadEvent(config.webhookSecret, mode),

    amounts: async (priceIds) => {
      const found = await Promise.all(priceIds.map((id) => orNull(guarded((stripe) => stripe.prices.retrieve(id)))))
      return new Map<string, Amount>(
        found.flatMap((price) =>
          price === null || isForeign(mode, price)
            ? []
            : [[price.id, { currency: price.currency, unitAmount: price.unit_amount }] as const],
        ),
      )
    },

    paymentLinks: async () => {
      const params = { active: true, limit: pageSize, expand: ['data.line_items'] }
      const { data } = await guarded((stripe) => stripe.paymentLinks.list(params))
      return data.flatMap(({ url, line_items }) =>
        (line_items?.data ?? []).flatMap(({ price }) =>
          price && !isForeign(mode, price) ? [{ priceId: price.id, url }] : [],
        ),
      )
    },

    createCustomer: async (principalId) => {
      const params = { metadata: { principal_id: principalId } }
      const options = { idempotencyKey: `customer-${principalId}` }
      return ownMode(mode, await guarded((stripe) => stripe.customers.create(params, options))).id
    },

    closeCheckouts: async (customer) => {
      const params = { customer, status: 'open', limit: pageSize } as const
      const { data } = await guarded((stripe) => stripe.checkout.sessions.list(params)).catch(unavailable)
      const own = data.filter((session) => session.customer === customer && !isForeign(mode, session))
      for (const { id } of own) await orNull(guarded((stripe) => stripe.checkout.sessions.expire(id)))
    },

    boughtBy: async (customer) => {
      const subscriptions = await page(
        null,
        { guarded, mode },
        (stripe, from) => stripe.subscriptions.list({ customer, status: 'all', ...from }),
        versionsOf,
      )
      const purchases = await page(
        null,
        { guarded, mode },
        (stripe, from) => stripe.checkout.sessions.list({ customer, status: 'complete', expand: paidWith, ...from }),
        versionsOf,
      )
      return [...subscriptions.items, ...purchases.items]
    },

    cancelSubscription: (id) => lookUpOne({ guarded, mode }, (stripe) => stripe.subscriptions.cancel(id)),

    createCheckout: async ({ principalId, customer, priceId, tier, cadence, returnUrl }) => {
      const metadata = { principal_id: principalId, tier, cadence }
      const session = await guarded((stripe) =>
        stripe.checkout.sessions.create({
          ...(cadence === 'lifetime'
            ? { mode: 'payment', payment_intent_data: { metadata } }
            : { mode: 'subscription', subscription_data: { metadata } }),
          customer,
          client_reference_id: principalId,
          line_items: [{ price: priceId, quantity: 1 }],
          metadata,
          success_url: `${returnUrl}/?checkout=done`,
          cancel_url: `${returnUrl}/?checkout=left`,
        }),
      ).catch(unavailable)
      const { id, url, expires_at } = ownMode(mode, session)
      if (!url) throw billingUnavailable()
      return { id, url, expiresAt: expires_at * 1000 }
    },

    createPortal: async (customer, returnUrl) => {
      const params = { customer, return_url: `${returnUrl}/` }
      return ownMode(mode, await guarded((stripe) => stripe.billingPortal.sessions.create(params)).catch(unavailable))
        .url
    },

    lookUp: async ({ objectId, kind, paymentIntent }) => {
      if (kind === 'subscription')
        return lookUpOne({ guarded, mode }, (stripe) => stripe.subscriptions.retrieve(objectId))
      if (kind === 'session') {
        const expand = ['line_items', 'payment_intent.latest_charge']
        return lookUpOne({ guarded, mode }, (stripe) => stripe.checkout.sessions.retrieve(objectId, { expand }))
      }
      if (kind === 'dispute' || paymentIntent === null) return []
      const intent = { expand: ['latest_charge'] }
      const found = await orNull(guarded((stripe) => stripe.paymentIntents.retrieve(paymentIntent, intent)))
      return found && !isForeign(mode, found) ? chargeOf(found, secondOf(found)) : []
    },

    subscriptions: (after) =>
      page(
        after,
        { guarded, mode },
        (stripe, from) => stripe.subscriptions.list({ status: 'all', ...from }),
        versionsOf,
      ),

    purchases: (after) => {
      const list = (stripe: Stripe, from: From) =>
        stripe.checkout.sessions.list({ status: 'complete', expand: paidWith, ...from })
      return page(after, { guarded, mode }, list, versionsOf)
    },

    events: (after) =>
      page(
        after,
        { guarded, mode },
        (stripe, from) => stripe.events.list({ types: eventTypes, ...from }),
        (event) => [toEvent(event)],
      ),
  }
}

interface Reach {
  guarded: Guarded
  /** The mode of the key: objects of the other mode do not exist here. */
  mode: Mode | null
}

interface From {
  limit: number
  starting_after?: string
}

async function page<T extends { id: string; object: string }, R>(
  after: string | null,
  { guarded, mode }: Reach,
  list: (stripe: Stripe, from: From) => Promise<Stripe.Response<Stripe.ApiList<T>>>,
  read: (item: T, at: number) => R[],
): Promise<Page<R>> {
  const from = { limit: pageSize, ...(after === null ? {} : { starting_after: after }) }
  const answer = await guarded((stripe) => list(stripe, from)).catch(unavailable)
  const at = secondOf(answer)
  const items = answer.data.flatMap((item) => (isForeign(mode, item) ? [] : readOr(read, item, at)))
  return { items, next: answer.has_more ? (answer.data.at(-1)?.id ?? null) : null }
}

/** An unreadable answer is a failure of the provider. */
function readOr<T, R>(read: (item: T, at: number) => R[], item: T, at: number): R[] {
  try {
    return read(item, at)
  } catch {
    throw billingUnavailable()
  }
}

async function lookUpOne(
  { guarded, mode }: Reach,
  call: (stripe: Stripe) => Promise<Stripe.Response<{ object: string }>>,
): Promise<ReportedVersion[]> {
  const found = await orNull(guarded(call))
  return found && !isForeign(mode, found) ? readOr(versionsOf, found, secondOf(found)) : []
}

/** The object, and the charge expanded in it. */
function versionsOf(object: { object: string; payment_intent?: unknown }, at: number): ReportedVersion[] {
  const version = toLookup(object, at)
  return [...(version ? [version] : []), ...chargeOf(object.payment_intent, at)]
}

function chargeOf(intent: unknown, at: number): ReportedVersion[] {
  const { data: charge } = chargeWithin.safeParse(intent)
  const version = charge ? toLookup(charge, at) : null
  return version ? [version] : []
}

/** By Stripe's own clock, which also stamps its events. */
function secondOf({ lastResponse }: Stripe.Response<object>): number {
  const date = Date.parse(lastResponse.headers.date ?? '')
  return Number.isNaN(date) ? 0 : Math.floor(date / 1000)
}

/** A new object must have the key's mode: a payment on a page of the other mode would not upgrade the tier. */
function ownMode<T>(mode: Mode | null, made: T): T {
  if (isForeign(mode, made)) throw billingUnavailable()
  return made
}

function orNull<T>(call: Promise<T>): Promise<T | null> {
  return call.catch((error: unknown) => {
    if (error instanceof ObjectNotFoundError) return null
    throw error
  })
}

/** A missing object is a failure if it must exist. */
function unavailable(error: unknown): never {
  throw error instanceof ObjectNotFoundError ? billingUnavailable() : error
}
