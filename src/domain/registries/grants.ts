import { badRequest, forbidden, InvalidInputError, notFound } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import type { PageRange } from '../../model/page.ts'
import type { GrantRecord, Permission } from '../../model/registry.ts'
import { covers, type ScopePattern } from '../../model/scope-path.ts'
import type { Session } from '../../model/session.ts'
import { bounds } from '../access/bounds.ts'
import { admit } from '../access/gate.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { type Page, pageOf } from '../input/page.ts'
import { adminOf, requireNoOtherOwner } from './ownership.ts'
import type { GrantInput } from './registry-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'>

/** The namespace's grants, oldest first; all of them without a range. Needs an admin principal. */
export async function listGrants(
  { catalog, clock }: Deps,
  session: Session,
  range?: PageRange,
): Promise<Page<GrantRecord>> {
  admit(session, 'grants')
  return pageOf(await catalog.registry.grants(session.namespace.id, clock.now(), range), range)
}

export async function getGrant({ catalog, clock }: Deps, session: Session, id: string): Promise<GrantRecord> {
  admit(session, 'grant')
  const grant = await catalog.registry.grant(session.namespace.id, id, clock.now())
  if (!grant) throw noSuchGrant()
  return grant
}

/**
 * Gives a principal of any home permissions on a scope of the target namespace. Nobody can grant more than they hold,
 * or for longer than their key lasts. Needs an admin principal. Errors: 400 for a principal that does not exist; 403.
 */
export async function createGrant(
  deps: Deps,
  session: Session,
  { principalId, scope, perms, groups }: GrantInput,
): Promise<GrantRecord> {
  admit(session, 'createGrant')
  const { id: namespaceId, name } = session.namespace
  return deps.catalog.provision(async (tx) => {
    const createdAt = deps.clock.now()
    const admin = await adminOf({ ...tx, now: createdAt }, session, name, 'createGrant')
    requireHeld(admin, perms, scope)
    const namespace = await tx.registry.namespace(namespaceId)
    requireGroups(admin, namespace?.owner ?? null, groups, scope)
    const member = await tx.access.membership(principalId, undefined, createdAt)
    if (!member) throw new InvalidInputError(['principalId'], 'must be the id of an existing principal')
    if (groups.length > 0 && member.principal.home.id === namespaceId) throw groupsAtHome()
    const grantedBy = session.principalId
    const expiresAt = bounds.expiresAt(session)
    const grant = { id: deps.random.id('grant'), principalId, scope, perms, groups, grantedBy, createdAt, expiresAt }
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

/**
 * Takes effect with the next request of its principal. Needs an admin principal, and at least one must remain. Only an
 * owner itself or the super-admin may remove the owner's grants. Errors: 400 for the last one, 403, 404.
 */
export async function deleteGrant(deps: Deps, session: Session, id: string): Promise<{ deleted: true }> {
  admit(session, 'deleteGrant')
  const { id: namespaceId, name } = session.namespace
  await deps.catalog.provision(async (tx) => {
    const now = deps.clock.now()
    const admin = await adminOf({ ...tx, now }, session, name, 'deleteGrant')
    const grant = await tx.registry.grant(namespaceId, id, now)
    if (!grant) throw noSuchGrant()
    admit(admin, 'deleteGrant', { scope: grant.scope })
    const namespace = await tx.registry.namespace(namespaceId)
    if (grant.principalId === namespace?.owner) await requireNoOtherOwner(tx, session, [grant.principalId])
    const admins = await tx.adminGrants(namespaceId)
    if (admins.length === 1 && admins[0]?.id === id) {
      throw badRequest('cannot delete the last grant of admin on *: make another admin principal first')
    }
    await tx.removeGrant(namespaceId, id)
    const detail = { principal_id: grant.principalId }
    await tx.audit(namespaceId, auditEntry(session, now, 'grant.delete', id, detail))
  })
  return { deleted: true }
}

const groupsAtHome = () =>
  new InvalidInputError(
    ['groups'],
    'must be empty for a principal of this namespace: here its own groups count, which it gets when it is created',
  )

const noSuchGrant = () => notFound('no such grant: the id must be that of a grant in the namespace')

/** A group opens what its members may read: an admin can give only its own groups in that scope, the owner any. */
export function requireGroups(
  session: Session,
  owner: string | null,
  groups: readonly string[],
  scope: ScopePattern,
): void {
  const { caller, restrictions } = session.facts
  if (caller.superAdmin || (owner === session.principalId && restrictions.groups === undefined)) return
  const own = session.groupsAt(scope)
  if (!groups.every((group) => own.includes(group)))
    throw forbidden(`groups: you can only grant groups you belong to on ${scope}`)
}

/** The caller must hold them on every scope of the grant: an agent lacks some where scopes are read-only for agents. */
export function requireHeld(session: Session, perms: readonly Permission[], scope: ScopePattern): void {
  const reached = session.facts.scopes.map((s) => s.scope).filter((path) => covers(scope, path))
  const lacking = perms.find((perm) => ![scope, ...reached].every((path) => session.may(perm, path)))
  if (lacking !== undefined) throw forbidden(`${lacking} permission is required on all of ${scope} to grant it`)
}
