import type { AccessReader } from '../../../ports/catalog/access-reader.ts'
import type { Db } from '../database/db.ts'
import { toScope } from '../database/scope-rows.ts'
import { toRestrictions } from '../database/words.ts'
import { findMembership, namespaceOf } from '../sql/access/membership.ts'

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

    membership: (principalId, namespace, now, tokenHash) =>
      findMembership(db, { principalId, namespace, now, tokenHash }),

    namespace: async (name) => {
      const found = await db.namespace.findFirst({ where: { name, deletedAt: null } })
      if (!found) return null
      const namespace = namespaceOf(found)
      const scopes = await db.scope.findMany({
        where: { namespaceId: namespace.id, deletedAt: null },
        orderBy: { path: 'asc' },
      })
      return { namespace, scopes: scopes.map((scope) => toScope(scope, name)) }
    },

    deletedNamespace: async (name) => {
      const found = await db.namespace.findFirst({ where: { name, deletedAt: { not: null } } })
      return found && namespaceOf(found)
    },

    wasDeleted: async (namespaceId, principalId) =>
      (await db.principal.count({ where: { principalId, namespaceId, deletedAt: { not: null } } })) > 0,

    hasPrincipals: async () => (await db.principal.findFirst({ select: { principalId: true } })) !== null,
  }
}
