import type { Grant, KeyRestrictions, Namespace, NamespaceSettings, Principal, Scope } from '../../../model/registry.ts'
import type { Moment } from '../../../model/session.ts'

import { bool, json, jsonOf, jsonWith, orNull, type Row, text, texts, word } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import { toHiddenCount, toKind, toPermissions, toRestrictions, toTier } from '../database/words.ts'
import { Prisma } from '../generated/client.ts'
import { type ScopeRecord, toScope } from './scopes.ts'
import { select } from './select.ts'

export interface StoredToken {
  principalId: string
  expiresAt: number | null
  restrictions: KeyRestrictions
}

export interface EnteredNamespace {
  namespace: Namespace & NamespaceSettings
  scopes: Scope[]
  /** The state that all of this was read in. */
  asOf?: Moment
}

export interface Membership {
  principal: Principal
  /** With `tokenHash` and `provesTokens` only: this token of the principal, or null. */
  token?: StoredToken | null
  target: (EnteredNamespace & { grants: Grant[] }) | null
}

export function createAccessReader(db: Db) {
  return {
    /** Null when no such token is stored. The caller checks `expiresAt`. */
    token: async (hash: string): Promise<StoredToken | null> => {
      const token = await db.token.findUnique({ where: { hash }, include: { principal: true } })
      if (!token || token.principal.deletedAt !== null) return null
      return {
        principalId: token.principalId,
        expiresAt: token.expiresAt === null ? null : Number(token.expiresAt),
        restrictions: toRestrictions(token.restriction),
      }
    },

    /** The principal linked to the user of a console session. A deleted principal keeps its link. */
    principalOfUser: async (userId: string): Promise<string | null> => {
      const principal = await db.principal.findUnique({ where: { userId }, select: { principalId: true } })
      return principal?.principalId ?? null
    },

    /**
     * With the grants that are valid at `now`. Null when the principal is unknown or deleted. `target` is null for a
     * namespace that does not exist.
     */
    membership: (
      principalId: string,
      namespace: string | undefined,
      now: number,
      tokenHash?: string,
    ): Promise<Membership | null> => findMembership(db, { principalId, namespace, now, tokenHash }),

    /** The same for a caller that needs no grants. Null for a namespace that does not exist. */
    namespace: async (name: string): Promise<EnteredNamespace | null> => {
      const found = await db.namespace.findFirst({ where: { name, deletedAt: null } })
      if (!found) return null
      const namespace = namespaceOf(found)
      const scopes = await db.scope.findMany({
        where: { namespaceId: namespace.id, deletedAt: null },
        orderBy: { path: 'asc' },
      })
      return { namespace, scopes: scopes.map((scope) => toScope(scope, name)) }
    },

    /** A deleted namespace: only its audit log is left. Null for a name that was never used, or is in use. */
    deletedNamespace: async (name: string): Promise<(Namespace & NamespaceSettings) | null> => {
      const found = await db.namespace.findFirst({ where: { name, deletedAt: { not: null } } })
      return found && namespaceOf(found)
    },

    /** Whether a principal homed in the namespace was deleted. */
    wasDeleted: async (namespaceId: string, principalId: string) =>
      (await db.principal.count({ where: { principalId, namespaceId, deletedAt: { not: null } } })) > 0,

    hasPrincipals: async () => (await db.principal.findFirst({ select: { principalId: true } })) !== null,
  }
}

/** What a session needs of a namespace, from a row or from JSON. */
const namespaceOf = (value: unknown): Namespace & NamespaceSettings => {
  const { id, name, tier, hiddenCount, synonymsVersion } = jsonOf<Namespace & NamespaceSettings>(value)
  return { id, name, tier: toTier(tier), hiddenCount: toHiddenCount(hiddenCount), synonymsVersion }
}

const grantsOf = (value: unknown): Grant[] =>
  jsonOf<Grant[]>(value).map((grant) => ({ ...grant, perms: toPermissions(grant.perms) }))

const tokenOf = (value: unknown): StoredToken => {
  const { restrictions, ...token } = jsonOf<StoredToken>(value)
  return { ...token, restrictions: toRestrictions(restrictions) }
}

/** Of a namespace that is entered: what `targetScopes` selects. */
export const targetColumns = {
  target: orNull(jsonWith(namespaceOf)),
  scopes: orNull(json<ScopeRecord[]>('json')),
}

export const membershipColumns = {
  kind: word(toKind),
  caller_groups: texts,
  read_only: bool,
  active_scope: text,
  home: jsonWith(namespaceOf),
  token: orNull(jsonWith(tokenOf)),
  grants: orNull(jsonWith(grantsOf)),
  ...targetColumns,
}

export interface Entering {
  principalId: string
  /** Undefined: its home. */
  namespace: string | undefined
  now: number
  /** Of the token that it presents. */
  tokenHash: string | undefined
}

const namespaceJson = (n: Prisma.Sql) => Prisma.sql`
  json_build_object('id', ${n}.id, 'name', ${n}.name, 'tier', ${n}.tier, 'hiddenCount', ${n}.hidden_count,
    'synonymsVersion', ${n}.synonyms_version)`

/** Columns of a namespace `t` and its scopes. */
const targetAndScopes = Prisma.sql`
  CASE WHEN t.id IS NULL THEN NULL
    ELSE ${namespaceJson(Prisma.sql`t`)} END AS target,
  (SELECT json_agg(json_build_object('id', s.id, 'path', s.path, 'parent', s.parent, 'planes', s.planes,
       'readOnlyAgents', s.read_only_agents, 'createdAt', s.created_at) ORDER BY s.path)
     FROM scope s WHERE s.namespace_id = t.id AND s.deleted_at IS NULL) AS scopes`

/** A principal with its home, its token, and with its grants and the scopes in a namespace. */
export const membershipSql = ({ principalId, namespace, now, tokenHash }: Entering): Prisma.Sql => Prisma.sql`
  SELECT p.kind, p.groups AS caller_groups, p.read_only, p.active_scope,
    ${namespaceJson(Prisma.sql`h`)} AS home,
    (SELECT json_build_object('principalId', k.principal_id, 'expiresAt', k.expires_at, 'restrictions', k.restriction)
       FROM token k WHERE k.hash = ${tokenHash ?? null} AND k.principal_id = p.principal_id) AS token,
    (SELECT json_agg(json_build_object('id', g.id, 'scope', g.scope, 'perms', g.perms, 'groups', g.groups,
         'expiresAt', g.expires_at) ORDER BY g.id)
       FROM "grant" g WHERE g.namespace_id = t.id AND g.principal_id = p.principal_id
         AND (g.expires_at IS NULL OR g.expires_at > ${now}::bigint)) AS grants,
    ${targetAndScopes}
  FROM principal p
  JOIN namespace h ON h.id = p.namespace_id
  LEFT JOIN namespace t ON t.name = coalesce(${namespace ?? null}, h.name) AND t.deleted_at IS NULL
  WHERE p.principal_id = ${principalId} AND p.deleted_at IS NULL`

/** A namespace for a caller that needs no grants. */
export const namespaceSql = (name: string): Prisma.Sql => Prisma.sql`
  SELECT ${targetAndScopes} FROM namespace t WHERE t.name = ${name} AND t.deleted_at IS NULL`

/** One statement: every request pays for it, and its parts must be of the same moment. */
async function findMembership(db: Db, entering: Entering): Promise<Membership | null> {
  const [row] = await select(db, membershipColumns)`${membershipSql(entering)}`
  return row ? toMembership(row, entering) : null
}

export function toMembership(row: Row<typeof membershipColumns>, { principalId, tokenHash }: Entering): Membership {
  const found = toTarget(row)
  return {
    principal: {
      principalId,
      home: row.home,
      kind: row.kind,
      groups: row.caller_groups,
      readOnly: row.read_only,
      activeScope: row.active_scope,
    },
    ...(tokenHash !== undefined && { token: row.token }),
    target: found && { ...found, grants: row.grants ?? [] },
  }
}

export const toTarget = ({ target, scopes }: Row<typeof targetColumns>) =>
  target && { namespace: target, scopes: (scopes ?? []).map((scope) => toScope(scope, target.name)) }

export type AccessReader = ReturnType<typeof createAccessReader> & {
  /** `membership` also reads whether the caller's token still exists. A result of `token` may then be kept for long. */
  provesTokens?: true
}
