import { z } from 'zod'
import { badRequest, forbidden, InvalidInput, notFound } from '../../errors.ts'
import { type GrantRecord, type Permission, permissions } from '../../model/registry.ts'
import { covers, type ScopePattern } from '../../model/scope-path.ts'
import type { Session } from '../../model/session.ts'
import { requireAdmin } from '../access/require.ts'
import { auditEntry } from '../audit/audit-entry.ts'
import type { Bindings } from '../deps.ts'
import { label, parse } from '../input/parse.ts'
import { adminOf } from './admin-of.ts'
import { groupList, idInput, requireAllPlanes, requireGroups, scopePattern, uniqueList } from './registry-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'>

const grantInput = z.strictObject({
  principalId: label(),
  scope: scopePattern,
  perms: uniqueList(z.enum(permissions), permissions.length).min(1, 'must not be empty'),
  groups: groupList,
})

export async function listGrants({ catalog }: Pick<Deps, 'catalog'>, session: Session): Promise<GrantRecord[]> {
  requireAdmin(session)
  return catalog.registry.grants(session.namespace.id)
}

export async function getGrant(
  { catalog }: Pick<Deps, 'catalog'>,
  session: Session,
  input: string,
): Promise<GrantRecord> {
  const { id } = parse(idInput, { id: input })
  requireAdmin(session)
  const grant = await catalog.registry.grant(session.namespace.id, id)
  if (!grant) throw noSuchGrant()
  return grant
}

/**
 * Gives a principal of any home permissions on a scope of the target namespace. Nobody grants more than they hold.
 * Needs an admin principal. Errors: 400, also for a principal that does not exist; 403.
 */
export async function createGrant(deps: Deps, session: Session, input: unknown): Promise<GrantRecord> {
  const { principalId, scope, perms, groups } = parse(grantInput, input)
  requireAdmin(session)
  requireAllPlanes(session)
  const { id: namespaceId, name } = session.namespace
  return deps.catalog.provision(async (tx) => {
    const admin = await adminOf(tx.access, session, name)
    requireHeld(admin, perms, scope)
    const namespace = await tx.registry.namespace(namespaceId)
    requireGroups(admin, namespace?.owner ?? null, groups)
    if (!(await tx.access.membership(principalId, undefined))) {
      throw new InvalidInput(['principalId'], 'no such principal')
    }
    const createdAt = deps.clock.now()
    const grantedBy = session.principalId
    const grant = { id: deps.random.id('grant'), principalId, scope, perms, groups, grantedBy, createdAt }
    await tx.insertGrant(namespaceId, grant)
    await tx.audit(
      namespaceId,
      auditEntry(session, createdAt, 'grant.create', grant.id, {
        principal_id: principalId,
        scope,
        perms: perms.join(','),
        groups: groups.length,
      }),
    )
    return { ...grant, namespace: name }
  })
}

/** Held everywhere that the grant would reach: an agent's own reach has holes where scopes are read-only to agents. */
function requireHeld(session: Session, perms: readonly Permission[], scope: ScopePattern): void {
  const reached = session.facts.scopes.map((s) => s.scope).filter((path) => covers(scope, path))
  const lacking = perms.find((perm) => ![scope, ...reached].every((path) => session.may(perm, path)))
  if (lacking !== undefined) throw forbidden(`${lacking} permission is required on all of ${scope} to grant it`)
}

/** Takes effect with the next request of its principal. Needs an admin principal, and leaves one. Errors: 400, 403, 404. */
export async function deleteGrant(deps: Deps, session: Session, input: string): Promise<{ deleted: true }> {
  const { id } = parse(idInput, { id: input })
  requireAdmin(session)
  const { id: namespaceId, name } = session.namespace
  await deps.catalog.provision(async (tx) => {
    await adminOf(tx.access, session, name)
    const grant = await tx.registry.grant(namespaceId, id)
    if (!grant) throw noSuchGrant()
    const admins = await tx.adminGrants(namespaceId)
    if (admins.length === 1 && admins[0]?.id === id) {
      throw badRequest('the last grant of admin on * stays: without it nobody could administer the namespace')
    }
    await tx.removeGrant(namespaceId, id)
    const detail = { principal_id: grant.principalId }
    await tx.audit(namespaceId, auditEntry(session, deps.clock.now(), 'grant.delete', id, detail))
  })
  return { deleted: true }
}

const noSuchGrant = () => notFound('no such grant')
