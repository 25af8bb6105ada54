import { type Plane, planes } from './unit.ts'

export const tierNames = ['free', 'pro', 'enterprise'] as const
export type TierName = (typeof tierNames)[number]

/** The limits and features of a tier, and the tier that opens more. `null` means unlimited. */
export interface Tier {
  name: TierName
  planes: readonly Plane[]
  maxDocuments: number | null
  /**
   * The maximum of registered namespaces that all principals of one home namespace may own together, including the home
   * namespace.
   */
  maxNamespaces: number | null
  answers: boolean
  rerank: boolean
  audit: boolean
  /** Signed checkpoints and proofs of the audit log. */
  proofs: boolean
  requiredTier: TierName
}

export const tiers: Record<TierName, Tier> = {
  free: {
    name: 'free',
    planes: ['text', 'doc_visual'],
    maxDocuments: 25_000,
    maxNamespaces: 1,
    answers: false,
    rerank: false,
    audit: false,
    proofs: false,
    requiredTier: 'pro',
  },
  pro: {
    name: 'pro',
    planes,
    maxDocuments: null,
    maxNamespaces: null,
    answers: true,
    rerank: true,
    audit: true,
    proofs: false,
    requiredTier: 'enterprise',
  },
  enterprise: {
    name: 'enterprise',
    planes,
    maxDocuments: null,
    maxNamespaces: null,
    answers: true,
    rerank: true,
    audit: true,
    proofs: true,
    requiredTier: 'enterprise',
  },
}

export const paidTiers = ['pro', 'enterprise'] as const satisfies readonly TierName[]
export type PaidTier = (typeof paidTiers)[number]

/** `lifetime` is a one-time payment. */
export const cadences = ['monthly', 'yearly', 'lifetime'] as const
export type Cadence = (typeof cadences)[number]

/** What is sold, by the provider's prices. */
export interface Price {
  tier: PaidTier
  cadence: Cadence
  priceId: string
}

/** The provider's times are epoch seconds. */
export interface SubscriptionFacts {
  kind: 'subscription'
  /** The provider's status; `missing` for an object that it does not know. */
  status: string
  prices: readonly PricePaid[]
  /** The product named by the subscription itself, when no price names it. */
  tier: PaidTier | null
  /** When it ends without a further action. */
  endsAt: number | null
  /** When the period that is paid, or due, ends. */
  periodEnd: number | null
}

export interface PricePaid {
  id: string
  /** The product named by the price itself, when it is not sold any more. */
  tier: PaidTier | null
}

/** A purchase on the provider's pages: of a lifetime, or of a subscription, which then has its own object. */
export interface SessionFacts {
  kind: 'session'
  mode: string
  paid: boolean
  tier: PaidTier | null
  prices: readonly PricePaid[]
  subscription: string | null
}

interface ChargeFacts {
  kind: 'charge'
  amount: number
  refunded: number
}

interface DisputeFacts {
  kind: 'dispute'
  status: string
}

export type BillingFacts = SubscriptionFacts | SessionFacts | ChargeFacts | DisputeFacts
export type BillingKind = BillingFacts['kind']

/** The state of one of the provider's objects, as reported. */
export interface BillingVersion {
  /** The id of the event, or of the lookup, that reported it. */
  id: string
  objectId: string
  customer: string | null
  paymentIntent: string | null
  /** The payer that the object names, if it names one. */
  principalId: string | null
  /** The second, by the provider's clock, for which it is true. */
  at: number
  /** `lookup` is the result of a query; it is true at the end of its second. */
  source: 'event' | 'lookup'
  /** Orders versions of one second, as far as their order can be known. */
  rank: number
  facts: BillingFacts
}

/** A version as it is received. */
export interface ReportedVersion extends BillingVersion {
  /** Whether this service named the payer, and not the person who paid. */
  vouched: boolean
}

/** A verified event. `version` is null for an event that has no effect on tiers. */
export interface BillingEvent {
  id: string
  type: string
  created: number
  version: ReportedVersion | null
}

/** Where to look up the object. */
export interface BillingObjectRef {
  objectId: string
  kind: BillingKind
  paymentIntent: string | null
}
