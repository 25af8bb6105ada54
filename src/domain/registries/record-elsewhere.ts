import { type Actor, auditEntry } from '../../model/audit-entry.ts'
import type { Provisioner, Revoked } from '../../ports/provisioner.ts'

/** Grants that went with their principal are missed in other namespaces too: each of those chains says why. */
export async function recordElsewhere(
  tx: Provisioner,
  actor: Actor,
  now: number,
  homeId: string,
  grants: Revoked['grants'],
): Promise<void> {
  for (const { namespaceId, id, principalId } of grants) {
    if (namespaceId === homeId) continue
    await tx.audit(namespaceId, auditEntry(actor, now, 'grant.delete', id, { principal_id: principalId }))
  }
}
