import { auditEntry } from '../../model/audit-entry.ts'
import type { Session } from '../../model/session.ts'
import { planes } from '../../model/unit.ts'
import type { NamespaceWriter } from '../../ports/catalog/namespace-writer.ts'
import { seedScopes } from './dataset.ts'

const seeded: readonly string[] = seedScopes

/** Enables all planes of the seeded scopes again: a closed plane would refuse its seeded Units. */
export async function reopenScopes(tx: NamespaceWriter, session: Session, now: number): Promise<void> {
  for (const scope of await tx.scopes.list()) {
    if (!seeded.includes(scope.scope) || scope.planes.length === planes.length) continue
    await tx.scopes.update({ ...scope, planes })
    await tx.audit(auditEntry(session, now, 'scope.update', scope.scope, { planes: planes.join(',') }))
  }
}
