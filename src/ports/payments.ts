import type { BillingEvent, BillingObjectRef, Cadence, PaidTier, ReportedVersion } from '../model/billing.ts'

/**
 * The payment provider. Whatever calls it ends within the configured time. Errors, all of them ServiceErrors without
 * anything of the provider's: 503 `billing_not_configured`, 503 `billing_unavailable`.
 */
export interface Payments {
  readonly configured: boolean
  /**
   * Checks the signature over the raw body, then reads the event. `now` is epoch milliseconds: a signature holds for
   * five minutes. Errors: 503 `webhook_not_configured`, 400 `invalid_signature`, 400 for what is no event.
   */
  readEvent(payload: string, signature: string | null, now: number): BillingEvent
  /** What prices cost, by id; those that the provider does not know are left out. */
  amounts(priceIds: readonly string[]): Promise<Map<string, Amount>>
  /** Pages of the provider on which a price can be bought, for as many prices as they sell. */
  paymentLinks(): Promise<{ priceId: string; url: string }[]>
  /** The same for the same principal: two at once make one customer. */
  createCustomer(principalId: string): Promise<string>
  /** A hosted page on which the customer pays. */
  createCheckout(order: Order): Promise<{ id: string; url: string; expiresAt: number }>
  /** A hosted page on which the customer changes and cancels what it bought. */
  createPortal(customer: string, returnUrl: string): Promise<string>
  /** The object as it is now, with what hangs on it; empty for one that the provider does not know. */
  lookUp(object: BillingObjectRef): Promise<ReportedVersion[]>
  /** A page of what the provider holds. `after` is null for the first, `next` null after the last. */
  subscriptions(after: string | null): Promise<Page<ReportedVersion>>
  /** Paid purchases, with their charges. */
  purchases(after: string | null): Promise<Page<ReportedVersion>>
  /** Events of the last 30 days, which is what the provider keeps. */
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
