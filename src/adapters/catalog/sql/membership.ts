import type { Grant, Namespace } from '../../../model/registry.ts'
import { bool, json, jsonOf, jsonWith, orNull, type Row, text, texts, word } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import type { ScopeRecord } from '../database/scope-rows.ts'
import { toKind, toPermissions, toTier } from '../database/words.ts'
import { select } from './select.ts'

const namespaceOf = (value: unknown): Namespace => {
  const { id, name, tier } = jsonOf<Namespace>(value)
  return { id, name, tier: toTier(tier) }
}

const grantsOf = (value: unknown): Grant[] =>
  jsonOf<Grant[]>(value).map((grant) => ({ ...grant, perms: toPermissions(grant.perms) }))

const columns = {
  kind: word(toKind),
  groups: texts,
  read_only: bool,
  active_scope: text,
  home: jsonWith(namespaceOf),
  target: orNull(jsonWith(namespaceOf)),
  grants: orNull(jsonWith(grantsOf)),
  scopes: orNull(json<ScopeRecord[]>('json')),
}

/**
 * A principal with its home, and with its grants and the scopes in a namespace: the home, if none is named. One
 * statement: every request pays for it, and its parts must be of the same moment.
 */
export async function findMembership(
  db: Db,
  principalId: string,
  targetName: string | undefined,
  now: number,
): Promise<Row<typeof columns> | null> {
  const [row] = await select(db, columns)`
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
  return row ?? null
}
