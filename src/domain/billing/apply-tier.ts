import { type Actor, auditEntry } from '../../model/audit-entry.ts'
import type { TierName } from '../../model/tiers.ts'
import type { Provisioner, RaisedNamespace } from '../../ports/catalog.ts'
import type { BillingDeps } from '../bindings/bindings.ts'
import { outcomeOf, purchasesOf, rankOf } from './entitlements.ts'
import { latestVersions } from './latest-versions.ts'

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
  const paid = await tx.billing.paidFor(id)
  const tier = paid.reduce<TierName>((best, one) => (rankOf(one) > rankOf(best) ? one : best), base)
  const baseTier = tier === base ? null : base
  if (tier === was && baseTier === namespace.baseTier) return false
  await tx.billing.setTier(id, tier, baseTier)
  if (tier !== was) await tx.audit(id, auditEntry(actor, now, 'billing.tier', name, { from: was, to: tier }))
  return tier !== was
}

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
