import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { BillingEvent, BillingVersion, ReportedVersion } from '../../model/billing.ts'
import { chargeShape, disputeShape, eventShape, sessionShape, subscriptionShape } from './shapes.ts'

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
