import { forbidden } from '../../errors.ts'
import type { Session } from '../../model/session.ts'
import { auditEntry } from '../audit/audit-entry.ts'
import type { Bindings } from '../deps.ts'
import type { Upkeep } from '../upkeep/upkeep.ts'
import { adminOf, notAdmin } from './admin-of.ts'
import { isSeeded } from './names.ts'
import { homeIdOf, type NamespaceView, namespaceView } from './namespace-view.ts'
import { recordElsewhere } from './record-elsewhere.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'identity'> & { upkeep: Upkeep }

/** The caller's home and every namespace in which it holds a grant, by name; to the super-admin, all. */
export async function listNamespaces({ catalog }: Pick<Deps, 'catalog'>, session: Session): Promise<NamespaceView[]> {
  const { registry } = catalog
  const records = await (session.facts.caller.superAdmin
    ? registry.namespaces()
    : registry.namespacesOf(session.principalId))
  return records.map((record) => namespaceView(record, homeIdOf(session)))
}

/** Needs an admin principal of that namespace; whatever else is asked for, existing or not, is the same 403. */
export async function getNamespace(
  { catalog }: Pick<Deps, 'catalog'>,
  session: Session,
  name: string,
): Promise<NamespaceView> {
  const admin = await adminOf(catalog.access, session, name)
  const record = await catalog.registry.namespace(admin.namespace.id)
  if (!record) throw notAdmin()
  return namespaceView(record, homeIdOf(session))
}

export interface NamespaceDeletion {
  deleted: true
  scopes: number
  /** Grants in the namespace; those that its principals held elsewhere go too, uncounted. */
  grants: number
  principals: number
}

/**
 * Removes the namespace with all that it holds, at once and for good: its name is never reissued. Its Units are swept in
 * the background. Needs an admin principal of it. Errors: 403, for a seeded namespace too.
 */
export async function deleteNamespace(deps: Deps, session: Session, name: string): Promise<NamespaceDeletion> {
  const { tokens, ...counts } = await deps.catalog.provision(async (tx) => {
    const { namespace } = await adminOf(tx.access, session, name)
    if (isSeeded(name)) throw forbidden('a seeded namespace stays')
    const now = deps.clock.now()
    const { tokens, grants, scopes, principals } = await tx.removeNamespace(namespace.id, now)
    const here = grants.filter(({ namespaceId }) => namespaceId === namespace.id).length
    const counts = { scopes, grants: here, principals }
    await tx.audit(namespace.id, auditEntry(session, now, 'namespace.delete', name, counts))
    await recordElsewhere(tx, session, now, namespace.id, grants)
    return { tokens, ...counts }
  })
  await deps.identity.forget(tokens)
  deps.upkeep.kick()
  return { deleted: true, ...counts }
}
