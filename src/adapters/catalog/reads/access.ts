import type { Grant, Namespace } from '../../../model/registry.ts'
import type { AccessReader } from '../../../ports/access-reader.ts'
import { bool, json, jsonOf, jsonWith, orNull, text, texts, word } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import { select } from '../database/select.ts'
import { toKind, toPermissions, toRestrictions, toTier } from '../database/words.ts'
import { type ScopeRecord, toScope } from '../units/scope-rows.ts'

const namespaceOf = (value: unknown): Namespace => {
  const { id, name, tier } = jsonOf<Namespace>(value)
  return { id, name, tier: toTier(tier) }
}

const grantsOf = (value: unknown): Grant[] =>
  jsonOf<Grant[]>(value).map((grant) => ({ ...grant, perms: toPermissions(grant.perms) }))

const principalColumns = {
  kind: word(toKind),
  groups: texts,
  read_only: bool,
  active_scope: text,
  home: jsonWith(namespaceOf),
  target: orNull(jsonWith(namespaceOf)),
  grants: orNull(jsonWith(grantsOf)),
  scopes: orNull(json<ScopeRecord[]>('json')),
}

export function createAccessReader(db: Db): AccessReader {
  return {
    token: async (hash) => {
      const token = await db.token.findUnique({ where: { hash }, include: { principal: true } })
      if (!token || token.principal.deletedAt !== null) return null
      return {
        principalId: token.principalId,
        expiresAt: token.expiresAt === null ? null : Number(token.expiresAt),
        restrictions: toRestrictions(token.restriction),
      }
    },

    principalOfUser: async (userId) => {
      const principal = await db.principal.findUnique({ where: { userId }, select: { principalId: true } })
      return principal?.principalId ?? null
    },

    // One statement: every request pays for it, and its parts must be of the same moment.
    membership: async (principalId, targetName, now) => {
      const [row] = await select(db, principalColumns)`
        SELECT p.kind, p.groups, p.read_only, p.active_scope,
          json_build_object('id', h.id, 'name', h.name, 'tier', h.tier) AS home,
          CASE WHEN t.id IS NULL THEN NULL
            ELSE json_build_object('id', t.id, 'name', t.name, 'tier', t.tier) END AS target,
          (SELECT json_agg(json_build_object('id', g.id, 'scope', g.scope, 'perms', g.perms, 'groups', g.groups,
               'expiresAt', g.expires_at))
             FROM "grant" g WHERE g.namespace_id = t.id AND g.principal_id = p.principal_id
               AND (g.expires_at IS NULL OR g.expires_at > ${now}::bigint)) AS grants,
          (SELECT json_agg(json_build_object('id', s.id, 'path', s.path, 'parent', s.parent, 'planes', s.planes,
               'readOnlyAgents', s.read_only_agents, 'createdAt', s.created_at) ORDER BY s.path)
             FROM scope s WHERE s.namespace_id = t.id AND s.deleted_at IS NULL) AS scopes
        FROM principal p
        JOIN namespace h ON h.id = p.namespace_id
        LEFT JOIN namespace t ON t.name = coalesce(${targetName ?? null}, h.name) AND t.deleted_at IS NULL
        WHERE p.principal_id = ${principalId} AND p.deleted_at IS NULL`
      if (!row) return null
      const { target } = row
      return {
        principal: {
          principalId,
          home: row.home,
          kind: row.kind,
          groups: row.groups,
          readOnly: row.read_only,
          activeScope: row.active_scope,
        },
        target: target && {
          namespace: target,
          grants: (row.grants ?? []) satisfies Grant[],
          scopes: (row.scopes ?? []).map((scope) => toScope(scope, target.name)),
        },
      }
    },

    namespace: async (name) => {
      const found = await db.namespace.findFirst({ where: { name, deletedAt: null } })
      if (!found) return null
      const namespace: Namespace = { id: found.id, name: found.name, tier: toTier(found.tier) }
      const scopes = await db.scope.findMany({
        where: { namespaceId: namespace.id, deletedAt: null },
        orderBy: { path: 'asc' },
      })
      return { namespace, scopes: scopes.map((scope) => toScope(scope, name)) }
    },

    deletedNamespace: async (name) => {
      const found = await db.namespace.findFirst({ where: { name, deletedAt: { not: null } } })
      return found && { id: found.id, name: found.name, tier: toTier(found.tier) }
    },

    wasDeleted: async (namespaceId, principalId) =>
      (await db.principal.count({ where: { principalId, namespaceId, deletedAt: { not: null } } })) > 0,

    hasPrincipals: async () => (await db.principal.findFirst({ select: { principalId: true } })) !== null,
  }
}
