import { notFound } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import type { PageRange } from '../../model/page.ts'
import type { PrincipalRecord } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import { bounds } from '../access/bounds.ts'
import { admit } from '../access/gate.ts'
import { mintToken, tokenHash } from '../access/tokens.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { type Page, pageOf } from '../input/page.ts'
import { requireGroups } from './grants.ts'
import { recordElsewhere } from './namespaces.ts'
import { adminOf, requireAdminsLeft, requireNoOtherOwner } from './ownership.ts'
import type { PrincipalInput } from './registry-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random' | 'identity'> & { brand: string }

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

export interface NewPrincipal extends PrincipalRecord {
  /** Shown only now. */
  token: string
}

/**
 * Creates a principal whose home is the target namespace, with a token and without grants. Its id is generated, so that
 * nobody can probe for ids or reuse one. The token expires with the key that created it, and learns no more of hidden
 * Units. Needs an admin principal. Errors: 403.
 */
export async function createPrincipal(deps: Deps, session: Session, input: PrincipalInput): Promise<NewPrincipal> {
  const { name, ...given } = input
  admit(session, 'createPrincipal')
  const createdAt = deps.clock.now()
  const principal = { ...given, principalId: deps.random.id('principal'), createdAt }
  const labelled = name ?? principal.kind
  const token = mintToken(deps.brand, labelled, deps.random)
  const { id: namespaceId, name: namespace } = session.namespace
  return deps.catalog.provision(async (tx) => {
    const admin = await adminOf({ ...tx, now: createdAt }, session, namespace, 'createPrincipal')
    const record = await tx.registry.namespace(namespaceId)
    requireGroups(admin, record?.owner ?? null, principal.groups, '*')
    const { principalId, kind } = principal
    await tx.audit(namespaceId, auditEntry(session, createdAt, 'principal.create', principalId, { kind }))
    await tx.ensurePrincipal({ ...principal, namespaceId })
    await tx.replaceTokens(principalId, {
      hash: tokenHash(token),
      id: deps.random.id('key'),
      name: labelled,
      createdAt,
      expiresAt: bounds.expiresAt(session),
      restrictions: bounds.ofTokens(session),
    })
    return { ...principal, namespace, token }
  })
}

export interface PrincipalDeletion {
  deleted: true
  tokens: number
  /** Grants in the namespace. Those held elsewhere are removed too, but not counted. */
  grants: number
}

/**
 * Permanently removes a principal whose home is the target namespace, with its tokens and all of its grants: its id is
 * never used again. Needs an admin principal, and every namespace must keep one. Only an owner itself or the
 * super-admin may delete an owner. Errors: 400, 403, 404.
 */
export async function deletePrincipal(deps: Deps, session: Session, id: string): Promise<PrincipalDeletion> {
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
