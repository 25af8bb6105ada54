import type { TierName } from './tiers.ts'

export const paidTiers = ['pro', 'enterprise'] as const satisfies readonly TierName[]
export type PaidTier = (typeof paidTiers)[number]

/** `lifetime` is a one-time payment. */
export const cadences = ['monthly', 'yearly', 'lifetime'] as const
export type Cadence = (typeof cadences)[number]

/** What is sold under which of the provider's prices. */
export interface Price {
  tier: PaidTier
  cadence: Cadence
  priceId: string
}

/** Times of the provider are epoch seconds, as it counts them. */
export interface SubscriptionFacts {
  kind: 'subscription'
  /** The provider's word; `missing` for one that it does not know. */
  status: string
  prices: readonly PricePaid[]
  /** What the subscription itself says it is for, where no price tells. */
  tier: PaidTier | null
  /** When it ends by itself. */
  endsAt: number | null
  /** When the period that is paid, or due, ends. */
  periodEnd: number | null
}

export interface PricePaid {
  id: string
  /** What the price itself says it is for, once it is no longer among those sold. */
  tier: PaidTier | null
}

/** A purchase on the provider's pages: of a lifetime, or of what then is a subscription. */
export interface SessionFacts {
  kind: 'session'
  mode: string
  paid: boolean
  tier: PaidTier | null
  prices: readonly PricePaid[]
  subscription: string | null
}

export interface ChargeFacts {
  kind: 'charge'
  amount: number
  refunded: number
}

export interface DisputeFacts {
  kind: 'dispute'
  status: string
}

export type BillingFacts = SubscriptionFacts | SessionFacts | ChargeFacts | DisputeFacts
export type BillingKind = BillingFacts['kind']

/** What the provider said of one of its objects. */
export interface BillingVersion {
  /** Of the event, or of the look-up, that brought it. */
  id: string
  objectId: string
  customer: string | null
  paymentIntent: string | null
  /** Whom the object names as its payer, as far as it does. */
  principalId: string | null
  /** The second, by the provider's clock, of which it is true. */
  at: number
  /** `lookup` is an answer to a question, which is true at the end of its second. */
  source: 'event' | 'lookup'
  /** Orders versions of one second, as well as that can be told. */
  rank: number
  facts: BillingFacts
}

/** What comes in. */
export interface ReportedVersion extends BillingVersion {
  /** Whether the payer is named by what was written here, and not by whoever paid. */
  vouched: boolean
}

/** A verified event. `version` is null for what does not concern tiers. */
export interface BillingEvent {
  id: string
  type: string
  created: number
  version: ReportedVersion | null
}

/** Where the object of a question is looked up. */
export interface BillingObjectRef {
  objectId: string
  kind: BillingKind
  paymentIntent: string | null
}
