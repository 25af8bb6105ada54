import type { Session } from '../../model/session.ts'
import { planes } from '../../model/unit.ts'
import { auditEntry } from '../audit/audit-entry.ts'
import type { Bindings } from '../deps.ts'
import { seedScopes } from './dataset.ts'

const seeded: readonly string[] = seedScopes

/** Gives the seeded scopes all planes again: one that was closed since would refuse its seeded Units. */
export async function reopenScopes({ catalog, clock }: Pick<Bindings, 'catalog' | 'clock'>, session: Session) {
  await catalog.transact(session.namespace.id, async (tx) => {
    for (const scope of await tx.scopes.list()) {
      if (!seeded.includes(scope.scope) || scope.planes.length === planes.length) continue
      await tx.scopes.update({ ...scope, planes })
      await tx.audit(auditEntry(session, clock.now(), 'scope.update', scope.scope, { planes: planes.join(',') }))
    }
  })
}
