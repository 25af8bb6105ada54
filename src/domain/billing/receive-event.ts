import { isDeepStrictEqual } from 'node:util'
import { type Actor, auditEntry } from '../../model/audit.ts'
import type { BillingEvent, BillingVersion, ReportedVersion, TierName } from '../../model/tiers.ts'
import type { BillingWriter, Provisioner, RaisedNamespace } from '../../ports/catalog.ts'
import type { BackgroundWork } from '../background/background.ts'
import type { BillingDeps } from '../bindings/bindings.ts'
import type { WebhookInput } from './billing-input.ts'
import { type LatestVersion, latestVersion, latestVersions, outcomeOf, purchasesOf, rankOf } from './entitlements.ts'

/** Stores a version from an event; returns the id of its principal if known. */
async function recordVersion(tx: BillingWriter, version: ReportedVersion, now: number): Promise<string | null> {
  await keep(tx, version, now)
  const { versions } = await tx.object(version.objectId)
  const held = latestVersion(versions)
  if (held && isOpen(held, version)) await tx.ask(refOf(version), now)
  if (version.facts.kind === 'session') await askWhatWasBought(tx, version, now)
  return tx.payerOf(version)
}

/** Stores the result of a look-up, unless it brings nothing new, or an event that arrived since may be newer. */
export async function recordLookup(
  tx: BillingWriter,
  version: ReportedVersion,
  mark: number,
  now: number,
): Promise<{ repaired: boolean; payer: string | null }> {
  const { versions, ordinal } = await tx.object(version.objectId)
  if (ordinal > mark) return { repaired: false, payer: null }
  await tx.settle(version.objectId)
  const known = latestVersion(versions)
  const isSame = known === null ? isNothing(version) : isDeepStrictEqual(known.facts, version.facts)
  if (isSame && !known?.isDoubtful) return { repaired: false, payer: null }
  await keep(tx, { ...version, at: Math.max(version.at, known ? after(known.version) : 0) }, now)
  return { repaired: !isSame, payer: await tx.payerOf(version) }
}

/** A state that no event has to report. */
const isNothing = ({ facts }: BillingVersion) => facts.kind === 'charge' && facts.refunded === 0

/** Everything known happened before a later look-up, even if the clocks differ. */
const after = ({ at, source }: BillingVersion) => (source === 'lookup' ? at + 1 : at)

async function keep(tx: BillingWriter, version: ReportedVersion, now: number): Promise<void> {
  await bindCustomer(tx, version, now)
  await tx.addVersion(version.customer === null ? version : { ...version, principalId: null })
}

/** A customer belongs to the first principal that was named for it. */
export async function bindCustomer(tx: BillingWriter, version: ReportedVersion, now: number): Promise<void> {
  const { customer, principalId, vouched } = version
  if (customer !== null && principalId !== null) await tx.bind({ customer, principalId, own: vouched }, now)
}

/** Whether only the provider can decide: two events in one second, or an event in the second of a look-up. */
function isOpen({ version: newest, facts, isDoubtful }: LatestVersion, version: BillingVersion): boolean {
  if (version.facts.kind === 'dispute') return false
  return isDoubtful || (newest.at === version.at && !isDeepStrictEqual(facts, version.facts))
}

/** A paid session does not say what was bought: for a subscription nothing is known yet, for a payment link never. */
async function askWhatWasBought(tx: BillingWriter, version: BillingVersion, now: number): Promise<void> {
  const { facts, paymentIntent } = version
  if (facts.kind !== 'session' || !facts.paid) return
  if (facts.subscription !== null) {
    const { versions } = await tx.object(facts.subscription)
    if (versions.length === 0) await tx.ask({ objectId: facts.subscription, kind: 'subscription', paymentIntent }, now)
  } else if (facts.tier === null) await tx.ask(refOf(version), now)
}

const refOf = ({ objectId, paymentIntent, facts }: BillingVersion) => ({ objectId, paymentIntent, kind: facts.kind })

/** What the provider does not know was not bought there. */
export function missing(version: BillingVersion, id: string): ReportedVersion {
  const { facts } = version
  const gone = { ...version, id, source: 'lookup', vouched: false } as const
  if (facts.kind === 'session') return { ...gone, facts: { ...facts, paid: false } }
  return facts.kind === 'subscription' ? { ...gone, facts: { ...facts, status: 'missing' } } : gone
}

/** Sets the tier of a principal, of its home and of the namespaces that it owns to what it has paid for so far. */
export async function refreshPayer(
  { billing, clock }: Pick<BillingDeps, 'billing' | 'clock'>,
  tx: Provisioner,
  principalId: string,
  actor: Actor,
): Promise<{ raised: RaisedNamespace[]; changed: number }> {
  const now = clock.now()
  const versions = await tx.billing.versionsOf(principalId)
  const outcome = outcomeOf(purchasesOf(latestVersions(versions), billing.prices, now))
  await tx.billing.saveAccount({ principalId, ...outcome })
  const raised = await tx.billing.namespacesOf(principalId)
  let changed = 0
  for (const namespace of raised) if (await applyTier(tx, namespace, now, actor)) changed += 1
  return { raised, changed }
}

/** Sets the higher of the tier without payments and the tier that its payers paid for. */
async function applyTier(tx: Provisioner, namespace: RaisedNamespace, now: number, actor: Actor): Promise<boolean> {
  const { id, name, tier: was } = namespace
  const base = namespace.baseTier ?? was
  const tier = highest(base, await tx.billing.paidFor(id))
  const baseTier = tier === base ? null : base
  if (tier === was && baseTier === namespace.baseTier) return false
  await tx.billing.setTier(id, tier, baseTier)
  if (tier !== was) await tx.audit(id, auditEntry(actor, now, 'billing.tier', name, { from: was, to: tier }))
  return tier !== was
}

/** Sets the tier without payments. A higher one that is paid for stays. */
export async function setBaseTier(
  tx: Provisioner,
  id: string,
  base: TierName,
  now: number,
  actor: Actor,
): Promise<void> {
  const namespace = await tx.billing.namespace(id)
  if (!namespace) return
  const tier = highest(base, await tx.billing.paidFor(id))
  await tx.billing.setTier(id, tier, tier === base ? null : base)
  const detail = { from: namespace.tier, to: tier, base }
  await tx.audit(id, auditEntry(actor, now, 'namespace.tier', namespace.name, detail))
}

const highest = (base: TierName, paid: readonly TierName[]): TierName =>
  paid.reduce((best, one) => (rankOf(one) > rankOf(best) ? one : best), base)

/** The same for namespaces whose payers changed. */
export async function refreshNamespaces(
  tx: Provisioner,
  namespaceIds: readonly string[],
  now: number,
  actor: Actor,
): Promise<void> {
  for (const id of namespaceIds) {
    const namespace = await tx.billing.namespace(id)
    if (namespace) await applyTier(tx, namespace, now, actor)
  }
}

/** The actor of tier changes: no particular person. */
export const billingActor = (requestId: string): Actor => ({ principalId: 'system', requestId })

/**
 * Stores an event of the provider durably before it responds, without a call to the provider. An event of an unknown
 * customer is kept until the customer is known. Errors: those of `Payments.readEvent`.
 */
export async function receiveEvent(
  deps: BillingDeps & { billingBackground: BackgroundWork },
  { payload, signature }: WebhookInput,
  requestId: string,
) {
  const event = await deps.payments.readEvent(payload, signature, deps.clock.now())
  const { isNew } = await deps.catalog.provision((tx) => applyEvent(deps, tx, event, billingActor(requestId)))
  deps.billingBackground.kick()
  return { received: true, duplicate: !isNew }
}

/** Concurrent deliveries of one event wait for the lock: the first one counts. */
export async function applyEvent(
  deps: BillingDeps,
  tx: Provisioner,
  event: BillingEvent,
  actor: Actor,
): Promise<{ isNew: boolean; changed: number }> {
  const now = deps.clock.now()
  if (!(await tx.billing.insertEvent(event, now))) return { isNew: false, changed: 0 }
  const payer = event.version && (await recordVersion(tx.billing, event.version, now))
  if (payer === null) return { isNew: true, changed: 0 }
  const { raised, changed } = await refreshPayer(deps, tx, payer, actor)
  const home = raised.find(({ isHome }) => isHome)
  const detail = { type: event.type, payer }
  if (home) await tx.audit(home.id, auditEntry(actor, now, 'billing.event', event.id, detail))
  return { isNew: true, changed }
}
