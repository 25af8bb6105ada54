import { isDeepStrictEqual } from 'node:util'
import type { BillingVersion, ReportedVersion } from '../../model/billing.ts'
import type { BillingWriter } from '../../ports/catalog.ts'
import { type LatestVersion, latestVersion } from './latest-versions.ts'

/** Stores a version from an event; returns the id of its principal if known. */
export async function recordVersion(tx: BillingWriter, version: ReportedVersion, now: number): Promise<string | null> {
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
