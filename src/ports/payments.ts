import type { BillingEvent, BillingObjectRef, Cadence, PaidTier, ReportedVersion } from '../model/tiers.ts'

/**
 * The payment provider. Each call ends within the configured time. All errors are ServiceErrors without data of the
 * provider: 503 `billing_not_configured`, 503 `billing_unavailable`.
 */
export interface Payments {
  readonly configured: boolean
  /**
   * Checks the signature over the raw body, then reads the event. `now` is epoch milliseconds: a signature is valid for
   * five minutes. Errors: 503 `webhook_not_configured`, 400 `invalid_signature`, 400 for a body that is not an event.
   */
  readEvent(payload: string, signature: string | null, now: number): Promise<BillingEvent>
  /** Amounts of prices, by id. Prices that the provider does not know are left out. */
  amounts(priceIds: readonly string[]): Promise<Map<string, Amount>>
  /** Pages of the provider where a price can be bought, for the prices that have one. */
  paymentLinks(): Promise<{ priceId: string; url: string }[]>
  /** Idempotent per principal: two concurrent calls create one customer. */
  createCustomer(principalId: string): Promise<string>
  /**
   * Ends the pages on which the customer could still pay. One that is being paid is an error, `billing_unavailable`: what
   * was bought is not known yet.
   */
  closeCheckouts(customer: string): Promise<void>
  /** What the customer has bought, as it is now: the newest 100 subscriptions, and as many paid purchases. */
  boughtBy(customer: string): Promise<ReportedVersion[]>
  /** A hosted page on which the customer pays. */
  createCheckout(order: Order): Promise<{ id: string; url: string; expiresAt: number }>
  /** A hosted page on which the customer changes and cancels what it bought. */
  createPortal(customer: string, returnUrl: string): Promise<string>
  /** Ends a subscription at once, so that it is charged no more. The object as it is then; empty when it is unknown. */
  cancelSubscription(subscriptionId: string): Promise<ReportedVersion[]>
  /** The object as it is now, with related objects; empty when the provider does not know it. */
  lookUp(object: BillingObjectRef): Promise<ReportedVersion[]>
  /** One page of the provider's objects. `after` is null for the first page, `next` null for the last. */
  subscriptions(after: string | null): Promise<Page<ReportedVersion>>
  /** Paid purchases, with their charges. */
  purchases(after: string | null): Promise<Page<ReportedVersion>>
  /** Events of the last 30 days; the provider does not keep older ones. */
  events(after: string | null): Promise<Page<BillingEvent>>
}

export interface Page<T> {
  items: T[]
  next: string | null
}

/** In the smallest unit of the currency (ISO 4217, lower case); null for a price without one amount. */
export interface Amount {
  currency: string
  unitAmount: number | null
}

export interface Order {
  principalId: string
  customer: string
  priceId: string
  tier: PaidTier
  cadence: Cadence
  returnUrl: string
}
