import { z } from 'zod'
import { badRequest, notFound } from '../../errors.ts'
import { type PrincipalRecord, principalKinds } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import { requireAdmin } from '../access/require.ts'
import { mintToken, tokenHash } from '../access/tokens.ts'
import { auditEntry } from '../audit/audit-entry.ts'
import type { Bindings } from '../deps.ts'
import { parse } from '../input/parse.ts'
import { adminOf } from './admin-of.ts'
import { recordElsewhere } from './record-elsewhere.ts'
import { groupList, idInput, requireAllPlanes, requireGroups, scopePattern, tokenName } from './registry-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random' | 'identity'> & { brand: string }

const principalInput = z.strictObject({
  name: tokenName.optional(),
  kind: z.enum(principalKinds).default('user'),
  groups: groupList,
  readOnly: z.boolean('must be true or false').default(false),
  activeScope: scopePattern.default('*'),
})

export async function listPrincipals({ catalog }: Pick<Deps, 'catalog'>, session: Session): Promise<PrincipalRecord[]> {
  requireAdmin(session)
  return catalog.registry.principals(session.namespace.id)
}

/** One that is unknown, deleted or homed elsewhere is not found. */
export async function getPrincipal(
  { catalog }: Pick<Deps, 'catalog'>,
  session: Session,
  input: string,
): Promise<PrincipalRecord> {
  const { id } = parse(idInput, { id: input })
  requireAdmin(session)
  const principal = await catalog.registry.principal(session.namespace.id, id)
  if (!principal) throw noSuchPrincipal()
  return principal
}

export interface NewPrincipal extends PrincipalRecord {
  /** Shown this once. */
  token: string
}

/**
 * Makes a principal homed in the target namespace, with a token and no grants yet. Its id is minted, so that none can be
 * probed for or reissued. Needs an admin principal. Errors: 400, 403.
 */
export async function createPrincipal(deps: Deps, session: Session, input: unknown): Promise<NewPrincipal> {
  const { name, ...given } = parse(principalInput, input)
  requireAdmin(session)
  requireAllPlanes(session)
  const createdAt = deps.clock.now()
  const principal = { ...given, principalId: deps.random.id('principal'), createdAt }
  const labelled = name ?? principal.kind
  const token = mintToken(deps.brand, labelled, deps.random)
  const { id: namespaceId, name: namespace } = session.namespace
  await deps.catalog.provision(async (tx) => {
    const admin = await adminOf(tx.access, session, namespace)
    const record = await tx.registry.namespace(namespaceId)
    requireGroups(admin, record?.owner ?? null, principal.groups)
    const { principalId, kind } = principal
    await tx.audit(namespaceId, auditEntry(session, createdAt, 'principal.create', principalId, { kind }))
    await tx.ensurePrincipal({ ...principal, namespaceId })
    await tx.replaceTokens(principalId, {
      hash: tokenHash(token),
      id: deps.random.id('key'),
      name: labelled,
      createdAt,
      expiresAt: null,
      restrictions: {},
    })
  })
  return { ...principal, namespace, token }
}

export interface PrincipalDeletion {
  deleted: true
  tokens: number
  /** Grants in the namespace; those held elsewhere go too, uncounted. */
  grants: number
}

/**
 * Removes a principal homed in the target namespace with its tokens and all of its grants, for good: its id is never
 * reissued. Needs an admin principal, and leaves one. Errors: 400, 403, 404.
 */
export async function deletePrincipal(deps: Deps, session: Session, input: string): Promise<PrincipalDeletion> {
  const { id } = parse(idInput, { id: input })
  requireAdmin(session)
  const { id: namespaceId, name } = session.namespace
  const { hashes, grants } = await deps.catalog.provision(async (tx) => {
    await adminOf(tx.access, session, name)
    if (!(await tx.registry.principal(namespaceId, id))) throw noSuchPrincipal()
    const admins = await tx.adminGrants(namespaceId)
    if (admins.length > 0 && admins.every(({ principalId }) => principalId === id)) {
      throw badRequest('the last admin principal stays: without it nobody could administer the namespace')
    }
    const now = deps.clock.now()
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

const noSuchPrincipal = () => notFound('no such principal')
