import { starterScope } from '../../../model/registry.ts'
import type { NamespaceClaims } from '../../../ports/provisioner.ts'
import type { Db } from '../db.ts'
import type { Heads } from '../writer/head.ts'
import { toNamespace } from './reader.ts'

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

    countOwned: (owner) => db.namespace.count({ where: { owner, registered: true, deletedAt: null } }),

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
