import { forbidden } from '../../errors.ts'
import { type KeyRestrictions, type Permission, permissions, type Scope } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import { type Acl, aclOf, mayRead, type Plane, type ReadClause, type Unit } from '../../model/unit.ts'
import type { Catalog, Visibility } from '../../ports/catalog.ts'

/** Keeps what a key creates and changes within the limits of the key. */
export const bounds = {
  /** The latest expiry of what the key creates, epoch milliseconds; null for never. */
  expiresAt: ({ facts }: Session): number | null => facts.keyExpiresAt ?? null,

  /** The permissions that the key may grant at most. */
  perms: ({ facts: { restrictions } }: Session): Permission[] =>
    permissions.filter((perm) => restrictions.perms?.includes(perm) !== false),

  /** The restrictions that the tokens of other principals take from the key. */
  ofTokens: ({ facts: { restrictions } }: Session): KeyRestrictions => ({
    ...(restrictions.hiddenCount !== undefined && { hiddenCount: restrictions.hiddenCount }),
  }),

  /** Whether the key may change a Unit that its principal wrote in this scope: no restriction may exclude the Unit. */
  reaches: (session: Session, scope: string, { plane, acl }: { plane: Plane; acl: Acl }): boolean => {
    const mayBeRead = (reading: Session) => mayRead(reading.readerAt(scope), acl)
    return session.keyPlanes.includes(plane) && (mayBeRead(session) || !mayBeRead(session.with({ restrictions: {} })))
  },
}

/** The limits of a session: requested scopes where it holds `perm`, the key's planes, whose ACL rights apply where. */
export const visibilityOf = (session: Session, perm: Permission): Visibility => ({
  namespaceId: session.namespace.id,
  clauses: clausesOver(session, session.scopesInReach(perm)),
  planes: session.keyPlanes,
  asOf: session.facts.asOf,
})

export const clausesOver = (session: Session, scopes: readonly Scope[]): ReadClause[] =>
  session.clausesOver(scopes).map(({ reader, scopes }) => ({ reader, scopeIds: scopes.map(({ id }) => id) }))

/** What an answer says of the number of hidden Units, which is only counted where an answer depends on it. */
export async function hiddenCount({ hiddenCount: said }: Session, count: () => Promise<number>): Promise<number> {
  if (said === 'off') return 0
  const hidden = await count()
  return said === 'some' ? Math.min(hidden, 1) : hidden
}

/**
 * The readable Unit with this id, otherwise the oldest one that the caller ingested with it as external id. Null for
 * hidden, deleted, out of scope and unknown Units.
 */
export async function findUnit(
  { units }: Pick<Catalog, 'units'>,
  session: Session,
  unitId: string,
): Promise<Unit | null> {
  const visibility = visibilityOf(session, 'read')
  return (await units.get(visibility, unitId)) ?? (await units.getOwn(visibility, session.principalId, unitId))
}

/** The resolved access context, as callers see it. It is only for display. */
export interface ContextView {
  principal: { principalId: string; namespace: string; readOnly: boolean; groups: readonly string[] }
  activeScope: string
  requestedScope: string
  effectiveScopes: string[]
  allowedScopes: string[]
  perms: Permission[]
  foldersVisible: number
  foldersTotal: number
}

export function describeContext(session: Session): ContextView {
  const { caller, scopes } = session.facts
  const requested = session.requestedScope
  const readable = session.scopesWith('read')
  const visible = session.visibleScopes.map((s) => s.scope)
  const effective = session.scopesInReach('read').map((s) => s.scope)
  if (requested !== '*' && readable.covers(requested) && !effective.includes(requested)) effective.unshift(requested)
  return {
    principal: {
      principalId: session.principalId,
      namespace: caller.home.name,
      readOnly: caller.readOnly,
      groups: session.requestedGroups,
    },
    activeScope: session.activeScope,
    requestedScope: requested,
    effectiveScopes: effective,
    allowedScopes: visible,
    perms: permissions.filter((perm) =>
      requested === '*' ? session.scopesWith(perm).some : session.may(perm, requested),
    ),
    foldersVisible: visible.length,
    foldersTotal: scopes.length,
  }
}

/** Owner and readers as a caller sends them; what is not sent stays. */
export interface SentAcl {
  aclOwner?: string | undefined
  aclGroups?: readonly string[] | undefined
}

/** Whether the caller may change the owner and the readers of a Unit: its owner and admin principals may. */
export const mayChangeAcl = (session: Session, { owner }: Acl): boolean =>
  session.principalId === owner || session.may('admin', '*')

/** The ACL of a Unit after a change. Throws 403, with the field at `place`, for a change that the caller may not make. */
export function changedAcl(session: Session, known: Acl, { aclOwner, aclGroups }: SentAcl, place = ''): Acl {
  const acl = aclOf(aclOwner ?? known.owner, aclGroups ?? known.groups)
  if (mayChangeAcl(session, known)) return acl
  if (acl.owner !== known.owner) throw notYours(`${place}acl_owner`)
  if (!isSame(acl, known)) throw notYours(`${place}acl_groups`)
  return known
}

/** 403 for a Unit that a key would put outside of its own restrictions by the owner or readers that it gives it. */
export function requireKept(session: Session, scope: string, unit: { plane: Plane; acl: Acl }, place = ''): void {
  if (bounds.reaches(session, scope, unit)) return
  throw forbidden(`${place}acl_groups: the Unit must stay within the planes and groups of the API key`)
}

export const isSame = (a: Acl, b: Acl): boolean =>
  a.owner === b.owner && JSON.stringify(aclOf(a.owner, a.groups)) === JSON.stringify(aclOf(b.owner, b.groups))

const notYours = (field: string) =>
  forbidden(`${field}: only the Unit's owner or an admin principal may change it; leave it out, or send what it is`)
