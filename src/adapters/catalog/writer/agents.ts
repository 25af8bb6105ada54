import type { AgentWriter } from '../../../ports/catalog/agents.ts'
import type { Db } from '../database/db.ts'
import { listConnections } from '../reads/agents.ts'

export function createAgentWriter(db: Db): AgentWriter {
  return {
    list: (principalId, now) => listConnections(db, principalId, now),

    connect: async ({ perms, ...connection }, token) => {
      const { principalId, clientId, createdAt } = connection
      const alive = await db.principal.count({ where: { principalId, deletedAt: null } })
      const client = await db.oauthClient.findUnique({ where: { id: clientId }, select: { consentedAt: true } })
      if (alive === 0 || client === null) return false
      const consentedAt = client.consentedAt ?? createdAt
      const { count } = await db.oauthClient.updateMany({ where: { id: clientId }, data: { consentedAt } })
      if (count === 0) return false
      await db.agentConnection.create({ data: { ...connection, perms: [...perms] } })
      await db.agentToken.create({ data: token })
      return true
    },

    use: async (hash, at) =>
      (await db.agentToken.updateMany({ where: { hash, usedAt: null }, data: { usedAt: at } })).count > 0,

    issue: async (tokens) => {
      await db.agentToken.createMany({ data: [...tokens] })
    },

    remove: async (principalId, id) => (await db.agentConnection.deleteMany({ where: { principalId, id } })).count > 0,
  }
}
