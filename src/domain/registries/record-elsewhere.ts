import { type Actor, auditEntry } from '../../model/audit-entry.ts'
import type { Provisioner, Revoked } from '../../ports/catalog/provisioner.ts'

/** Deleting a principal also removes its grants in other namespaces: each of their chains records why. */
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
