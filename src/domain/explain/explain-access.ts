import { notFound } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import { type Explanation, explainDeleted, explainScope, explainUnit } from '../../model/explanation.ts'
import { Session } from '../../model/session.ts'
import { enter } from '../access/enter.ts'
import { admit } from '../access/gate.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { getUnit } from '../units/units.ts'
import type { ExplainInput } from './explain-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock'>

export interface AccessExplanation extends Explanation {
  principalId: string
}

/**
 * Explains why a principal of the target namespace may or may not read and change a Unit, or the content of a scope.
 * The result is for a token without restrictions. Needs an admin principal, and is audited. Errors: 403; 404 for a Unit
 * that the admin itself may not read, and for a principal whose home is not the namespace and that has no grant there.
 */
export async function explainAccess(
  deps: Deps,
  session: Session,
  { principalId, unitId, scope = '*' }: ExplainInput,
): Promise<AccessExplanation> {
  admit(session, 'explainAccess')
  const unit = unitId === undefined ? null : await getUnit(deps.catalog, session, unitId)
  const subject = await subjectOf(deps, session, principalId)
  const explanation = subject ? (unit ? explainUnit(subject, unit) : explainScope(subject, scope)) : explainDeleted()
  const entry = auditEntry(session, deps.clock.now(), 'access.explain', unitId ?? scope, { principal_id: principalId })
  await deps.catalog.transact(session.namespace.id, (tx) => tx.audit(entry))
  return { principalId, ...explanation }
}

/** The principal's session in this namespace, as its own request would have it; null when it was deleted. */
async function subjectOf({ catalog, clock }: Deps, asking: Session, principalId: string): Promise<Session | null> {
  const { namespace, requestId } = asking
  const entry = await enter(catalog.access, principalId, namespace.name, clock.now())
  if (!entry && (await catalog.access.wasDeleted(namespace.id, principalId))) return null
  if (entry?.found?.namespace.id !== namespace.id)
    throw notFound('no such principal: the id must be that of a principal in the namespace')
  return new Session({ ...entry.found, restrictions: {}, requestedScope: '*', requestId })
}
