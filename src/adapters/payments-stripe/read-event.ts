import { randomUUID } from 'node:crypto'
import { ZodError, z } from 'zod'
import { badRequest, invalidSignature, ServiceError, webhookNotConfigured } from '../../errors.ts'
import {
  type BillingEvent,
  type BillingVersion,
  type PricePaid,
  paidTiers,
  type ReportedVersion,
} from '../../model/tiers.ts'
import type { Payments } from '../../ports/payments.ts'
import { loadSdk } from './guarded.ts'

/** How long a signature is valid, in seconds, as Stripe recommends. */
const tolerance = 300

/** Reads nothing of the body before its signature is verified. Refuses an event of the other mode. */
export function createReadEvent(secret: string | null, mode: Mode | null): Payments['readEvent'] {
  return async (payload, signature, now) => {
    if (secret === null) throw webhookNotConfigured()
    const { Stripe } = await loadSdk()
    try {
      const event = Stripe.webhooks.constructEvent(payload, signature ?? '', secret, tolerance, undefined, now)
      if (isForeign(mode, event) || isForeign(mode, event.data?.object)) throw wrongMode(mode)
      return toEvent(event)
    } catch (error) {
      if (error instanceof ServiceError) throw error
      if (error instanceof Stripe.errors.StripeSignatureVerificationError) throw invalidSignature()
      if (error instanceof SyntaxError) throw badRequest('the event must be valid JSON')
      if (!(error instanceof ZodError)) throw badRequest('the body must be an event of the payment provider')
      throw badRequest(`${error.issues[0]?.path.join('.') || 'event'}: must be as the payment provider documents it`)
    }
  }
}

const wrongMode = (mode: Mode | null) =>
  badRequest(`livemode: must be ${mode === 'live'}, because the service has a ${mode} key of the payment provider`)

type Content = Pick<ReportedVersion, 'vouched' | 'objectId' | 'customer' | 'paymentIntent' | 'principalId' | 'facts'>

/** Throws a ZodError for an object that does not have the shape of its kind. */
export function toEvent(value: unknown): BillingEvent {
  const { id, type, created, data } = eventShape.parse(value)
  const content = contentOf(data.object)
  const version =
    content && ({ ...content, id, at: created, source: 'event', rank: rankOf(type, content.facts) } as const)
  return { id, type, created, version }
}

/** An object that was looked up, as of a second by Stripe's clock. Null for objects that are irrelevant here. */
export function toLookup(value: { object?: string | undefined }, at: number): ReportedVersion | null {
  const content = contentOf(value)
  return content && { ...content, id: `lookup_${randomUUID()}`, at, source: 'lookup', rank: 0 }
}

function contentOf(value: { object?: string | undefined }): Content | null {
  if (value.object === 'subscription') return ofSubscription(subscriptionShape.parse(value))
  if (value.object === 'checkout.session') return ofSession(sessionShape.parse(value))
  if (value.object === 'charge') return ofCharge(chargeShape.parse(value))
  if (value.object === 'dispute') return ofDispute(disputeShape.parse(value))
  return null
}

function ofSubscription(s: z.output<typeof subscriptionShape>): Content {
  const items = s.items?.data ?? []
  const ends = [s.current_period_end, ...items.map((item) => item.current_period_end)]
  const periodEnd = Math.max(0, ...ends.map((end) => end ?? 0)) || null
  return {
    objectId: s.id,
    customer: s.customer,
    paymentIntent: null,
    principalId: s.metadata?.principal_id ?? null,
    vouched: s.metadata?.principal_id !== undefined,
    facts: {
      kind: 'subscription',
      status: s.status,
      prices: items.flatMap((item) => item.price ?? []),
      tier: s.metadata?.tier ?? null,
      endsAt: s.cancel_at ?? (s.cancel_at_period_end ? periodEnd : null),
      periodEnd,
    },
  }
}

/** Events never list the bought items, look-ups do. Left out where the purchase itself says what it is for. */
function ofSession(s: z.output<typeof sessionShape>): Content {
  const tier = s.metadata?.tier ?? null
  return {
    objectId: s.id,
    customer: s.customer,
    paymentIntent: s.payment_intent,
    principalId: s.metadata?.principal_id ?? s.client_reference_id ?? null,
    vouched: s.metadata?.principal_id !== undefined,
    facts: {
      kind: 'session',
      mode: s.mode ?? (s.subscription === null ? 'payment' : 'subscription'),
      paid: s.status !== 'expired' && (s.payment_status === 'paid' || s.payment_status === 'no_payment_required'),
      tier,
      prices: tier === null ? (s.line_items?.data ?? []).flatMap((item) => item.price ?? []) : [],
      subscription: s.subscription,
    },
  }
}

function ofCharge(c: z.output<typeof chargeShape>): Content {
  return {
    objectId: c.id,
    customer: c.customer,
    paymentIntent: c.payment_intent,
    principalId: null,
    vouched: false,
    facts: { kind: 'charge', amount: c.amount, refunded: c.amount_refunded },
  }
}

function ofDispute(d: z.output<typeof disputeShape>): Content {
  return {
    objectId: d.id,
    customer: null,
    paymentIntent: d.payment_intent,
    principalId: null,
    vouched: false,
    facts: { kind: 'dispute', status: d.status },
  }
}

/** In the order in which a subscription usually passes through them. */
const statuses = ['incomplete', 'trialing', 'active', 'past_due', 'paused', 'unpaid', 'incomplete_expired', 'canceled']
const first = /\.created$/
const last = /\.(deleted|closed)$/

/** Orders events of the same second: beginnings, continuations, ends; then by progress. */
function rankOf(type: string, facts: BillingVersion['facts']): number {
  const stage = first.test(type) ? 0 : last.test(type) ? 2 : 1
  const progress = () => {
    if (facts.kind === 'subscription') return statuses.indexOf(facts.status) + 1
    if (facts.kind === 'session') return Number(facts.paid)
    if (facts.kind === 'charge') return Math.floor((facts.refunded / Math.max(1, facts.amount)) * 9)
    return type.endsWith('funds_reinstated') ? 1 : 0
  }
  return stage * 10 + progress()
}

/**
 * The fields that are read of Stripe's objects (https://docs.stripe.com/api). Events use the API version with which the
 * endpoint was set up, so fields that have moved since are read from both places.
 */

const id = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => !text.includes('\0') && text.isWellFormed())
/** A reference, expanded or not. */
const ref = z
  .union([id, z.looseObject({ id }).transform((object) => object.id)])
  .nullish()
  .transform((value) => value ?? null)
const seconds = z.number().int().nullish()
const metadata = z
  .object({ principal_id: id.optional().catch(undefined), tier: z.enum(paidTiers).optional().catch(undefined) })
  .nullish()
const price = z.object({ id, metadata }).transform((p): PricePaid => ({ id: p.id, tier: p.metadata?.tier ?? null }))

const subscriptionShape = z.object({
  object: z.literal('subscription'),
  id,
  customer: ref,
  status: z.string().max(64),
  cancel_at: seconds,
  cancel_at_period_end: z.boolean().nullish(),
  current_period_end: seconds,
  items: z.object({ data: z.array(z.object({ price: price.nullish(), current_period_end: seconds })) }).nullish(),
  metadata,
})

const chargeFields = {
  object: z.literal('charge'),
  id,
  customer: ref,
  payment_intent: ref,
  amount: z.number(),
  amount_refunded: z.number(),
  metadata,
}
const chargeShape = z.object(chargeFields)

/** Only if it was expanded. */
export const chargeWithin = z.object({ latest_charge: chargeShape }).transform((intent) => intent.latest_charge)

const sessionShape = z.object({
  object: z.literal('checkout.session'),
  id,
  customer: ref,
  payment_intent: ref,
  subscription: ref,
  client_reference_id: id.nullish().catch(null),
  mode: z.string().max(64).nullish(),
  status: z.string().nullish(),
  payment_status: z.string().nullish(),
  line_items: z.object({ data: z.array(z.object({ price: price.nullish() })) }).nullish(),
  metadata,
})

const disputeShape = z.object({
  object: z.literal('dispute'),
  id,
  payment_intent: ref,
  status: z.string().max(64),
})

const eventShape = z.object({
  id,
  type: z.string().max(255),
  created: z.number().int().min(0).max(8_640_000_000_000),
  data: z.object({ object: z.looseObject({ object: z.string().optional() }) }),
})

/** Stripe separates live data from test data: keys, events and objects have one mode. */
export type Mode = 'live' | 'test'

/** Null for a key without a mode, which is not a Stripe key. */
export function modeOf(key: string | null): Mode | null {
  const [, mode] = /_(live|test)_/.exec(key ?? '') ?? []
  return mode === 'live' || mode === 'test' ? mode : null
}

/** Whether a Stripe object declares the other mode. */
export function isForeign(mode: Mode | null, value: unknown): boolean {
  if (mode === null || typeof value !== 'object' || value === null || !('livemode' in value)) return false
  return value.livemode !== (mode === 'live')
}
