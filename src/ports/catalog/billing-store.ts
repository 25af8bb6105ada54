import type { BillingEvent, BillingObjectRef, BillingVersion, PaidTier } from '../../model/billing.ts'
import type { TierName } from '../../model/tiers.ts'

/** Reads stored payments. Times are epoch milliseconds, except those of versions. */
export interface BillingStore {
  /** The principal's own ones, oldest first. */
  customersOf(principalId: string): Promise<string[]>
  /** All versions of what the principal bought. */
  versionsOf(principalId: string): Promise<BillingVersion[]>
  /** The ordinal of the latest version. Later versions have a higher one. */
  mark(): Promise<number>
  /** Lookups that are due. Each one is rescheduled, with a longer delay each time, so that replicas share them. */
  takeQuestions(now: number, limit: number): Promise<BillingObjectRef[]>
  /** How many lookups at the provider wait, at most `max`. */
  waiting(max: number): Promise<number>
  /** Principals whose payments have a different result by now. */
  dueAccounts(now: number, limit: number): Promise<string[]>
  /** Subscriptions of deleted principals that have not ended, as far as is known. */
  subscriptionsOfDeleted(limit: number): Promise<string[]>
  /** Principals who paid or started to, ordered by id, above one. */
  payers(after: string, limit: number): Promise<string[]>
}

/** Writes of payments. All run under the one lock that spans namespaces, so they are serial. */
export interface BillingWriter {
  versionsOf(principalId: string): Promise<BillingVersion[]>
  /** A version of one object. `ordinal` is that of the latest received version. */
  object(objectId: string): Promise<{ versions: BillingVersion[]; ordinal: number }>
  /** The payer of an object: by its customer, by the payer it names, or by another object of the same payment. */
  payerOf(version: BillingVersion): Promise<string | null>
  /**
   * Does nothing when the customer is linked to another principal, or the principal does not exist. `own` means that
   * this service created the customer for this principal; once true, it stays true.
   */
  bind(binding: { customer: string; principalId: string; own: boolean }, now: number): Promise<void>
  /** False when the event is already known. */
  insertEvent(event: BillingEvent, now: number): Promise<boolean>
  addVersion(version: BillingVersion): Promise<void>
  /** Schedules a lookup at the provider, soon. */
  ask(object: BillingObjectRef, now: number): Promise<void>
  /** Cancels the lookup. */
  settle(objectId: string): Promise<void>
  saveAccount(account: { principalId: string; tier: PaidTier | null; changesAt: number | null }): Promise<void>
  /** The principal's home namespace and the namespaces it owns, without deleted ones. */
  namespacesOf(principalId: string): Promise<RaisedNamespace[]>
  namespace(id: string): Promise<RaisedNamespace | null>
  /** The result of the payments of all principals that own the namespace or are homed in it. */
  paidFor(namespaceId: string): Promise<PaidTier[]>
  setTier(namespaceId: string, tier: TierName, baseTier: TierName | null): Promise<void>
}

export interface RaisedNamespace {
  id: string
  name: string
  tier: TierName
  /** While a payment raises the tier: the tier that it falls back to. */
  baseTier: TierName | null
  /** Whether it is the home namespace of the given principal. */
  isHome: boolean
}
