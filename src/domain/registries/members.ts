import { badRequest, forbidden, InvalidInputError, notFound } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import type { PageRange } from '../../model/page.ts'
import type { GrantRecord, Permission, PrincipalRecord } from '../../model/registry.ts'
import { covers, type ScopePattern } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import { admit } from '../access/gate.ts'
import { withInherited } from '../access/inherited.ts'
import { mintToken, tokenHash } from '../access/tokens.ts'
import { bounds } from '../access/visibility.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { type Page, pageOf } from '../input/page.ts'
import { adminOf, recordElsewhere, requireAdminsLeft, requireNoOtherOwner } from './namespaces.ts'
import type { GrantInput, PrincipalInput, PrincipalUpdate } from './registry-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random' | 'identity'> & { brand: string }

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
    await tx.insertGrant(namespaceId, { ...grant, ...(await withInherited(tx.groups, namespaceId, groups)) })
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
    'must be empty for a principal of this namespace: here its own groups count, which updatePrincipal and changeGroup set',
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

/** The principals homed in the namespace, oldest first; all of them without a range. Needs an admin principal. */
export async function listPrincipals(
  { catalog }: Pick<Deps, 'catalog'>,
  session: Session,
  range?: PageRange,
): Promise<Page<PrincipalRecord>> {
  admit(session, 'principals')
  return pageOf(await catalog.registry.principals(session.namespace.id, range), range)
}

/** A principal that is unknown, deleted or of another home namespace is not found. */
export async function getPrincipal(
  { catalog }: Pick<Deps, 'catalog'>,
  session: Session,
  id: string,
): Promise<PrincipalRecord> {
  admit(session, 'principal')
  const principal = await catalog.registry.principal(session.namespace.id, id)
  if (!principal) throw noSuchPrincipal()
  return principal
}

/**
 * Creates a principal whose home is the target namespace, with a token and without grants. Its id is generated, so that
 * nobody can probe for ids or reuse one. The token expires with the key that created it, and learns no more of hidden
 * Units. Needs an admin principal. Errors: 403.
 */
export async function createPrincipal(deps: Deps, session: Session, input: PrincipalInput) {
  const { name = null, ...given } = input
  admit(session, 'createPrincipal')
  const createdAt = deps.clock.now()
  const principal = { ...given, name, principalId: deps.random.id('principal'), createdAt }
  const labelled = tokenNameOf(name) || principal.kind
  const token = mintToken(deps.brand, labelled, deps.random)
  const { id: namespaceId, name: namespace } = session.namespace
  return deps.catalog.provision(async (tx) => {
    const admin = await adminOf({ ...tx, now: createdAt }, session, namespace, 'createPrincipal')
    const record = await tx.registry.namespace(namespaceId)
    requireGroups(admin, record?.owner ?? null, principal.groups, '*')
    const { principalId, kind } = principal
    await tx.audit(namespaceId, auditEntry(session, createdAt, 'principal.create', principalId, { kind }))
    const held = await withInherited(tx.groups, namespaceId, principal.groups)
    await tx.ensurePrincipal({ ...principal, ...held, namespaceId })
    await tx.replaceTokens(principalId, {
      hash: tokenHash(token),
      id: deps.random.id('key'),
      name: labelled,
      createdAt,
      expiresAt: bounds.expiresAt(session),
      restrictions: bounds.ofTokens(session),
    })
    return { ...principal, ...held, email: null, namespace, token }
  })
}

/** The readable part of a token. */
const tokenNameOf = (name: string | null) =>
  (name ?? '')
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .slice(0, 32)
    .replaceAll(/^-+|-+$/g, '')

/**
 * Changes a principal whose home is the target namespace, from its next request on. Needs an admin principal, who gives
 * only groups that it has, owner excepted. Only an owner itself or the super-admin may make an owner read-only, and every
 * namespace must keep an admin. Errors: 400, also for the name of a person who signs in; 403; 404.
 */
export async function updatePrincipal(
  deps: Pick<Deps, 'catalog' | 'clock'>,
  session: Session,
  { id, input: { name, groups, readOnly, activeScope } }: PrincipalUpdate,
): Promise<PrincipalRecord> {
  admit(session, 'updatePrincipal')
  const { id: namespaceId, name: namespace } = session.namespace
  return deps.catalog.provision(async (tx) => {
    const now = deps.clock.now()
    const admin = await adminOf({ ...tx, now }, session, namespace, 'updatePrincipal')
    const known = await tx.registry.principal(namespaceId, id)
    if (!known) throw noSuchPrincipal()
    if (name !== undefined && known.email !== null)
      throw new InvalidInputError(['name'], 'must be left out for a person, whose sign-in has the name')
    const added = (groups ?? []).filter((group) => !known.groups.includes(group))
    const record = await tx.registry.namespace(namespaceId)
    requireGroups(admin, record?.owner ?? null, added, '*')
    const isFreed = readOnly === false && known.readOnly
    if ((added.length > 0 || isFreed) && bounds.expiresAt(session) !== null)
      throw forbidden('expiresAt: a key that expires may not give groups or lift read-only; use one without it')
    if (readOnly === true && !known.readOnly) {
      await requireNoOtherOwner(tx, session, [id])
      await requireAdminsLeft(tx, [id])
    }
    const fields = {
      ...(name !== undefined && { name }),
      ...(readOnly !== undefined && { readOnly }),
      ...(activeScope !== undefined && { activeScope }),
    }
    const held = groups && (await withInherited(tx.groups, namespaceId, groups))
    await tx.updatePrincipal(namespaceId, id, fields, held)
    const removed = groups === undefined ? 0 : known.groups.filter((group) => !held?.groups.includes(group)).length
    const detail = {
      ...(name !== undefined && { renamed: name !== known.name }),
      ...(groups !== undefined && { groups_added: added.length, groups_removed: removed }),
      ...(readOnly !== undefined && { read_only: readOnly }),
      ...(activeScope !== undefined && { active_scope: activeScope }),
    }
    await tx.audit(namespaceId, auditEntry(session, now, 'principal.update', id, detail))
    const updated = await tx.registry.principal(namespaceId, id)
    if (!updated) throw noSuchPrincipal()
    return updated
  })
}

/**
 * Permanently removes a principal whose home is the target namespace, with its tokens and all of its grants: its id is
 * never used again. Needs an admin principal, and every namespace must keep one. Only an owner itself or the
 * super-admin may delete an owner. Errors: 400, 403, 404.
 */
export async function deletePrincipal(deps: Deps, session: Session, id: string) {
  admit(session, 'deletePrincipal')
  const { id: namespaceId, name } = session.namespace
  const { hashes, grants } = await deps.catalog.provision(async (tx) => {
    const now = deps.clock.now()
    const admin = await adminOf({ ...tx, now }, session, name, 'deletePrincipal')
    if (!(await tx.registry.principal(namespaceId, id))) throw noSuchPrincipal()
    await requireNoOtherOwner(tx, session, [id])
    const { items } = await tx.registry.grants(namespaceId, now)
    const held = items.filter((grant) => grant.principalId === id)
    for (const { scope } of held) admit(admin, 'deletePrincipal', { scope })
    await requireAdminsLeft(tx, [id])
    const removed = await tx.removePrincipal(namespaceId, id, now)
    const grants = removed.grants.filter((grant) => grant.namespaceId === namespaceId).length
    const detail = { tokens: removed.tokens.length, grants }
    await tx.audit(namespaceId, auditEntry(session, now, 'principal.delete', id, detail))
    await recordElsewhere(tx, session, now, namespaceId, removed.grants)
    return { hashes: removed.tokens, grants }
  })
  await deps.identity.forget(hashes)
  return { deleted: true, tokens: hashes.length, grants }
}

const noSuchPrincipal = () => notFound('no such principal: the id must be that of a principal in the namespace')
