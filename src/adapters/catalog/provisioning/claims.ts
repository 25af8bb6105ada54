import { starterScope } from '../../../model/registry.ts'
import type { NamespaceClaims } from '../../../ports/catalog/provisioner.ts'
import type { Db } from '../database/db.ts'
import { toNamespace } from '../reads/registry.ts'
import type { Heads } from '../sql/head.ts'
import { countRegistered } from '../sql/namespace-counts.ts'

export function createClaims(db: Db, heads: Heads): NamespaceClaims {
  return {
    holderOf: async (name) => {
      const row = await db.namespace.findUnique({ where: { name } })
      return row && { ...toNamespace(row), deleted: row.deletedAt !== null }
    },

    isUsedByOthers: async (namespaceId, principalId) => {
      const another = { namespaceId, principalId: { not: principalId } }
      const select = { principalId: true }
      const found =
        (await db.principal.findFirst({ where: another, select })) ??
        (await db.grant.findFirst({ where: another, select }))
      return found !== null
    },

    countRegistered: (homeId, exceptId) => countRegistered(db, homeId, exceptId),

    ownedBy: async (principalIds) => {
      const where = { principalId: { in: [...principalIds] }, deletedAt: null }
      const living = await db.principal.findMany({ where, select: { principalId: true } })
      const rows = await db.namespace.findMany({
        where: { owner: { in: living.map((principal) => principal.principalId) }, deletedAt: null },
        select: { id: true },
        orderBy: { id: 'asc' },
      })
      return rows.map((row) => row.id)
    },

    hasScopes: async (namespaceId) => {
      const found = await db.scope.findFirst({
        where: { namespaceId, deletedAt: null, OR: [{ path: { not: starterScope } }, { units: { some: {} } }] },
        select: { id: true },
      })
      return found !== null
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
