import type { Provisioner, Revoked } from '../../../ports/provisioner.ts'
import type { Db } from '../database/db.ts'
import { Prisma } from '../generated/client.ts'
import type { Heads } from '../writer/head.ts'

type Removal = Pick<Provisioner, 'removePrincipal' | 'removeNamespace'>

/** Heads are locked before rows: a writer that holds a head may wait for a row, never the other way round. */
export function createRemoval(db: Db, heads: Heads): Removal {
  const revoke = async (principalIds: readonly string[]): Promise<Revoked> => {
    const held = Prisma.sql`principal_id = ANY(${[...principalIds]}::text[])`
    const granted = await db.$queryRaw<{ id: string }[]>`
      SELECT DISTINCT namespace_id AS id FROM "grant" WHERE ${held} ORDER BY namespace_id`
    for (const { id } of granted) await heads.lock(id)
    const tokens = await db.$queryRaw<{ hash: string }[]>`DELETE FROM token WHERE ${held} RETURNING hash`
    const grants = await db.$queryRaw<Revoked['grants']>`
      DELETE FROM "grant" WHERE ${held} RETURNING namespace_id AS "namespaceId", id, principal_id AS "principalId"`
    return { tokens: tokens.map(({ hash }) => hash), grants }
  }

  return {
    removePrincipal: async (namespaceId, principalId, now) => {
      await heads.lock(namespaceId)
      const revoked = await revoke([principalId])
      await db.principal.update({ where: { principalId }, data: { deletedAt: now } })
      return revoked
    },

    removeNamespace: async (namespaceId, now) => {
      await heads.lock(namespaceId)
      const live = { namespaceId, deletedAt: null }
      const homed = await db.principal.findMany({ where: live, select: { principalId: true } })
      const { tokens, grants } = await revoke(homed.map(({ principalId }) => principalId))
      const guests = await db.$queryRaw<Revoked['grants']>`
        DELETE FROM "grant" WHERE namespace_id = ${namespaceId}
        RETURNING namespace_id AS "namespaceId", id, principal_id AS "principalId"`
      await db.goldenQuery.deleteMany({ where: { namespaceId } })
      await db.evaluationRun.deleteMany({ where: { namespaceId } })
      await db.auditExport.deleteMany({ where: { namespaceId } })
      const scopes = await db.scope.updateMany({ where: live, data: { deletedAt: now } })
      const principals = await db.principal.updateMany({ where: live, data: { deletedAt: now, userId: null } })
      await db.namespace.update({ where: { id: namespaceId }, data: { deletedAt: now } })
      return { tokens, grants: [...grants, ...guests], scopes: scopes.count, principals: principals.count }
    },
  }
}
