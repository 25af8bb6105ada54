import type { Provisioner, Revoked } from '../../../ports/catalog/provisioner.ts'
import type { Db } from '../database/db.ts'
import type { Prisma } from '../generated/client.ts'
import type { Heads } from '../sql/head.ts'
import { removeTokens } from '../writer/tokens.ts'

type Removal = Pick<Provisioner, 'removePrincipal' | 'removeNamespace'>

/** Heads are locked before rows: a writer that holds a head may wait for a row, but not the reverse. */
export function createRemoval(db: Db, heads: Heads): Removal {
  /** Returns exactly the removed ones: rows added between the two statements stay. */
  const removeGrants = async (where: Prisma.GrantWhereInput): Promise<Revoked['grants']> => {
    const grants = await db.grant.findMany({ where, select: { namespaceId: true, id: true, principalId: true } })
    const keys = grants.map(({ namespaceId, id }) => ({ namespaceId, id }))
    await db.grant.deleteMany({ where: { OR: keys } })
    return grants
  }

  const revoke = async (principalIds: readonly string[]): Promise<Revoked> => {
    const held = { principalId: { in: [...principalIds] } }
    const granted = await db.grant.findMany({
      where: held,
      distinct: ['namespaceId'],
      orderBy: { namespaceId: 'asc' },
      select: { namespaceId: true },
    })
    for (const { namespaceId } of granted) await heads.lock(namespaceId)
    await db.agentConnection.deleteMany({ where: held })
    return { tokens: await removeTokens(db, held), grants: await removeGrants(held) }
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
      const guests = await removeGrants({ namespaceId })
      await db.goldenQuery.deleteMany({ where: { namespaceId } })
      await db.evaluationRun.deleteMany({ where: { namespaceId } })
      await db.auditExport.deleteMany({ where: { namespaceId } })
      await db.sourceLink.deleteMany({ where: { namespaceId } })
      await db.invitation.deleteMany({ where: { namespaceId } })
      const scopes = await db.scope.updateMany({ where: live, data: { deletedAt: now } })
      const principals = await db.principal.updateMany({ where: live, data: { deletedAt: now, userId: null } })
      await db.namespace.update({ where: { id: namespaceId }, data: { deletedAt: now } })
      return { tokens, grants: [...grants, ...guests], scopes: scopes.count, principals: principals.count }
    },
  }
}
