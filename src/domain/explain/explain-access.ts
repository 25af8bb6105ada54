import { notFound } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import { explainDeleted, explainScope, explainUnit } from '../../model/explanation.ts'
import { Session } from '../../model/session.ts'
import { admit, enter } from '../access/gate.ts'
import { treeOf } from '../access/inherited.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { getUnit } from '../units/units.ts'
import type { ExplainInput } from './explain-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock'>

/**
 * Explains why a principal of the target namespace may or may not read and change a Unit, or the content of a scope.
 * The result is for a token without restrictions. Needs an admin principal, and is audited. Errors: 403; 404 for a Unit
 * that the admin itself may not read, and for a principal whose home is not the namespace and that has no grant there.
 */
export async function explainAccess(deps: Deps, session: Session, { principalId, unitId, scope = '*' }: ExplainInput) {
  admit(session, 'explainAccess')
  const unit = unitId === undefined ? null : await getUnit(deps.catalog, session, unitId)
  const subject = await subjectOf(deps, session, principalId)
  const pathTo = subject && unit ? await pathsOf(deps, subject) : undefined
  const explanation = subject
    ? unit
      ? explainUnit(subject, unit, pathTo)
      : explainScope(subject, scope)
    : explainDeleted()
  const entry = auditEntry(session, deps.clock.now(), 'access.explain', unitId ?? scope, { principal_id: principalId })
  await deps.catalog.transact(session.namespace.id, (tx) => tx.audit(entry))
  return { principalId, ...explanation }
}

/** How a group of the principal holds another one of its groups. */
async function pathsOf({ catalog }: Deps, subject: Session): Promise<(group: string) => string[] | null> {
  const { caller, namespace } = subject.facts
  const tree = await treeOf(catalog.groups, namespace.id)
  const record = await catalog.registry.principal(namespace.id, caller.principalId)
  const inherited = new Set(record?.inheritedGroups)
  const held = subject.groupsAt('*')
  // The groups of grants do not say which are inherited: what none of the others leads to is direct.
  const direct = record
    ? held.filter((group) => !inherited.has(group))
    : held.filter((group) => !tree.inherited(held.filter((other) => other !== group)).includes(group))
  return (group) => tree.path(direct, group)
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
