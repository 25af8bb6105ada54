import type { BillingEvent, BillingObjectRef, BillingVersion, PaidTier } from '../model/billing.ts'
import type { TierName } from '../model/tiers.ts'

/** What is kept of payments, as it is read. Times are epoch milliseconds, except those of versions. */
export interface BillingStore {
  /** Its own ones, oldest first. */
  customersOf(principalId: string): Promise<string[]>
  /** All that was said of what the principal bought. */
  versionsOf(principalId: string): Promise<BillingVersion[]>
  /** The ordinal of the latest version: what comes in later is above it. */
  mark(): Promise<number>
  /** Questions that are due. Each is due again only later, and later each time, so that replicas share them. */
  takeQuestions(now: number, limit: number): Promise<BillingObjectRef[]>
  /** Principals whose payments come to something else by now. */
  dueAccounts(now: number, limit: number): Promise<string[]>
  /** Principals who ever paid or were about to, by id, above one. */
  payers(after: string, limit: number): Promise<string[]>
}

/** Writes of payments. All run under the one lock that spans namespaces, so they happen one after another. */
export interface BillingWriter {
  versionsOf(principalId: string): Promise<BillingVersion[]>
  /** Of one object; `ordinal` is that of the latest that came in. */
  object(objectId: string): Promise<{ versions: BillingVersion[]; ordinal: number }>
  /** The payer of an object, by its customer, by what it names, or by what was paid with the same payment. */
  payerOf(version: BillingVersion): Promise<string | null>
  /**
   * Does nothing when the customer is bound to another, or there is no such principal. `own` says that it was made here
   * for this principal; once it is, it stays so.
   */
  bind(binding: { customer: string; principalId: string; own: boolean }, now: number): Promise<void>
  /** False when the event is known. */
  insertEvent(event: BillingEvent, now: number): Promise<boolean>
  addVersion(version: BillingVersion): Promise<void>
  /** Has the provider asked, soon. */
  ask(object: BillingObjectRef, now: number): Promise<void>
  /** Takes the question back. */
  settle(objectId: string): Promise<void>
  saveAccount(account: { principalId: string; tier: PaidTier | null; changesAt: number | null }): Promise<void>
  /** The home of the principal and the namespaces that it owns, those that were deleted left out. */
  namespacesOf(principalId: string): Promise<RaisedNamespace[]>
  namespace(id: string): Promise<RaisedNamespace | null>
  /** What the payments of those who are at home in it or own it come to. */
  paidFor(namespaceId: string): Promise<PaidTier[]>
  setTier(namespaceId: string, tier: TierName, baseTier: TierName | null): Promise<void>
}

export interface RaisedNamespace {
  id: string
  name: string
  tier: TierName
  /** What it falls back to, while a payment raises it. */
  baseTier: TierName | null
  /** Whether it is the home of the principal that was asked about. */
  isHome: boolean
}
