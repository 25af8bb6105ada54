import { auditEntry } from '../../model/audit.ts'
import type { Session } from '../../model/session.ts'
import type { Plane } from '../../model/unit.ts'
import { admit } from '../access/gate.ts'
import type { BackgroundWork } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'

export interface ResetVectors {
  plane: Plane
  /** Live Units that have lost a vector of their own. */
  vectors: number
  seq: number
}

type Deps = Pick<Bindings, 'catalog' | 'clock'> & { indexer: Indexer; background: BackgroundWork }

/**
 * Removes the vectors that callers sent for a plane without a configured model, in all scopes and for all groups; texts get
 * vectors of the plane's model in the background. The next vector that is sent sets the plane's dimensions. Needs an admin
 * principal. Errors: 403.
 */
export async function resetVectors(deps: Deps, session: Session, plane: Plane): Promise<ResetVectors> {
  admit(session, 'resetVectors', { planes: [plane] })
  const namespaceId = session.namespace.id
  const reset = await deps.catalog.transact(namespaceId, async (tx) => {
    const vectors = await tx.resetOwnVectors(plane)
    await tx.audit(auditEntry(session, deps.clock.now(), 'vectors.reset', null, { plane, vectors, seq: tx.seq() }))
    return { plane, vectors, seq: tx.seq() }
  })
  deps.indexer.notify(namespaceId)
  deps.background.kick()
  return reset
}
