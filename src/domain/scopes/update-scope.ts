import { InvalidInputError, noSuchScope } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import type { Scope } from '../../model/registry.ts'
import { covers } from '../../model/scope-path.ts'
import type { Session } from '../../model/session.ts'
import { planes } from '../../model/unit.ts'
import { admit } from '../access/gate.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { ScopeChanges } from './scope-input.ts'
import { getScope } from './scopes.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock'>

/**
 * Changes a scope's settings; omitted fields stay as they are. Changes apply from the next request: closed planes
 * accept no Units and are not searched, but their Units are still listed. Needs `admin` on the scope. Errors: 400 for a
 * parent that is not above it, 403, 404 for a scope that the caller may not see.
 */
export async function updateScope(deps: Deps, session: Session, path: string, changes: ScopeChanges): Promise<Scope> {
  const { id } = getScope(session, path)
  admit(session, 'updateScope', { scope: path })
  return deps.catalog.transact(session.namespace.id, async (tx) => {
    const scopes = await tx.scopes.list()
    const scope = scopes.find((s) => s.id === id)
    if (!scope) throw noSuchScope()
    const { parent = scope.parent } = changes
    if (changes.parent) requireAncestor(session, scopes, scope, changes.parent)
    const updated: Scope = {
      ...scope,
      parent,
      planes: planes.filter((plane) => (changes.planes ?? scope.planes).includes(plane)),
      readOnlyAgents: changes.readOnlyAgents ?? scope.readOnlyAgents,
    }
    await tx.scopes.update(updated)
    await tx.audit(
      auditEntry(session, deps.clock.now(), 'scope.update', path, {
        parent: updated.parent,
        planes: updated.planes.join(','),
        read_only_agents: updated.readOnlyAgents,
      }),
    )
    return updated
  })
}

/** Any parent except the current one must be visible to the caller, or the response would reveal what exists. */
function requireAncestor(session: Session, scopes: readonly Scope[], scope: Scope, parent: string): void {
  const known = parent === scope.parent || session.mayAny(parent)
  const isAbove = parent !== scope.scope && covers(parent, scope.scope)
  if (known && isAbove && scopes.some((s) => s.scope === parent)) return
  throw new InvalidInputError(['parent'], 'must be a registered scope above it')
}
