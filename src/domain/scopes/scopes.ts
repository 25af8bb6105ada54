import { badRequest, noSuchScope } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import type { PageRange } from '../../model/page.ts'
import type { Scope } from '../../model/registry.ts'
import { covers } from '../../model/scope-path.ts'
import type { Session } from '../../model/session.ts'
import { bounds } from '../access/bounds.ts'
import { admit, requirePermission } from '../access/gate.ts'
import type { BackgroundWork } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { type Page, pageWithin } from '../input/page.ts'
import { byPath, ensureScope } from './ensure-scope.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'> & { background: BackgroundWork }

/** The registered scopes that the caller may see, by path. */
export const listScopes = (session: Session, range?: PageRange): Page<Scope> => pageWithin(session.visibleScopes, range)

/** A scope that the caller may not see gives the same error as one that does not exist. */
export function getScope(session: Session, path: string): Scope {
  const scope = session.visibleScopes.find((s) => s.scope === path)
  if (!scope) throw noSuchScope()
  return scope
}

/**
 * Registers a scope and grants its creator everything on it, as far as the calling key allows. Creating a scope below
 * one that others already use needs `admin`. Errors: 400 for one that exists, 403.
 */
export async function createScope(deps: Deps, session: Session, path: string): Promise<Scope> {
  admit(session, 'createScope', { scope: path })
  return deps.catalog.transact(session.namespace.id, async (tx) => {
    const now = deps.clock.now()
    const scopes = byPath(await tx.scopes.list())
    const inUseBelow =
      [...scopes.keys()].some((other) => other !== path && covers(path, other)) ||
      (await tx.scopes.hasGrantBelow(path, now))
    if (inUseBelow) requirePermission(session, 'admin', path)
    if (scopes.has(path)) throw badRequest('scope: must not exist yet')
    const scope = await ensureScope(tx, scopes, path, deps.random, now)
    if (!session.facts.caller.superAdmin) {
      await tx.insertGrant({
        id: deps.random.id('grant'),
        principalId: session.principalId,
        scope: path,
        perms: bounds.perms(session),
        groups: [],
        grantedBy: session.principalId,
        createdAt: now,
        expiresAt: bounds.expiresAt(session),
      })
    }
    await tx.audit(auditEntry(session, now, 'scope.create', path, {}))
    return scope
  })
}

export interface ScopeDeletion {
  deleted: true
  scopes: number
  grants: number
}

/** Removes the scope, its subtree and their grants. Their Units are hidden at once, and removed in the background. */
export async function deleteScope(deps: Deps, session: Session, path: string): Promise<ScopeDeletion> {
  admit(session, 'deleteScope', { scope: path })
  const removed = await deps.catalog.transact(session.namespace.id, async (tx) => {
    const scopes = await tx.scopes.list()
    if (!scopes.some((s) => s.scope === path)) throw noSuchScope()
    // The scopes that are read-only for agents may have changed since.
    admit(session.with({ scopes }), 'deleteScope', { scope: path })
    const now = deps.clock.now()
    const counts = await tx.scopes.remove(path, now)
    await tx.audit(auditEntry(session, now, 'scope.delete', path, counts))
    return counts
  })
  deps.background.kick()
  return { deleted: true, ...removed }
}
