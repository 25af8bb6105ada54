import { starterScope } from '../../../model/registry.ts'
import type { NamespaceClaims } from '../../../ports/provisioner.ts'
import type { Db } from '../database/db.ts'
import { toNamespace } from '../reads/registry.ts'
import type { Heads } from '../writer/head.ts'

export function createClaims(db: Db, heads: Heads): NamespaceClaims {
  return {
    holderOf: async (name) => {
      const row = await db.namespace.findUnique({ where: { name } })
      return row && { ...toNamespace(row), deleted: row.deletedAt !== null }
    },

    isUsedByOthers: async (namespaceId, principalId) => {
      const [row] = await db.$queryRaw<{ used: boolean }[]>`
        SELECT EXISTS (SELECT FROM principal WHERE namespace_id = ${namespaceId} AND principal_id <> ${principalId})
          OR EXISTS (SELECT FROM "grant" WHERE namespace_id = ${namespaceId} AND principal_id <> ${principalId}) AS used`
      return row?.used ?? false
    },

    countRegistered: async (homeId, exceptId) => {
      const [row] = await db.$queryRaw<{ count: number }[]>`
        SELECT count(*)::int AS count FROM namespace n
        WHERE n.registered AND n.deleted_at IS NULL AND n.id <> ${exceptId} AND (n.id = ${homeId}
          OR n.owner IN (SELECT principal_id FROM principal WHERE namespace_id = ${homeId})
          OR n.owner = (SELECT owner FROM namespace WHERE id = ${homeId}))`
      return row?.count ?? 0
    },

    ownedBy: async (principalIds) => {
      const rows = await db.$queryRaw<{ id: string }[]>`
        SELECT n.id FROM namespace n JOIN principal p ON p.principal_id = n.owner AND p.deleted_at IS NULL
        WHERE n.owner = ANY(${[...principalIds]}::text[]) AND n.deleted_at IS NULL ORDER BY n.id`
      return rows.map((row) => row.id)
    },

    hasScopes: async (namespaceId) => {
      const [row] = await db.$queryRaw<{ found: boolean }[]>`
        SELECT EXISTS (SELECT FROM scope s WHERE s.namespace_id = ${namespaceId} AND s.deleted_at IS NULL
          AND (s.path <> ${starterScope}
            OR EXISTS (SELECT FROM unit u WHERE u.namespace_id = s.namespace_id AND u.scope_id = s.id))) AS found`
      return row?.found ?? false
    },

    register: async (id, owner) => {
      await heads.lock(id)
      await db.namespace.update({ where: { id }, data: { owner, registered: true } })
    },

    moveHome: async (principalId, namespaceId) => {
      await db.principal.update({ where: { principalId }, data: { namespaceId, activeScope: '*' } })
    },
  }
}
