import type { AgentConnection, AgentStore, AgentWriter } from '../../../ports/catalog/agents.ts'
import { oneOf } from '../database/columns.ts'
import { type Db, toNumber } from '../database/db.ts'
import { toPermissions } from '../database/words.ts'
import type { Prisma } from '../generated/client.ts'

const toApplicationType = oneOf(['native', 'web'] as const, 'a type of clients')
const toKind = oneOf(['code', 'access', 'refresh'] as const, 'a kind of tokens')

const named = { namespace: { select: { name: true } } } as const

export function createAgentStore(db: Db): AgentStore {
  return {
    client: async (id) => {
      const found = await db.oauthClient.findUnique({ where: { id } })
      return (
        found && {
          ...found,
          applicationType: toApplicationType(found.applicationType),
          createdAt: toNumber(found.createdAt),
          consentedAt: found.consentedAt === null ? null : toNumber(found.consentedAt),
        }
      )
    },

    insertClient: async ({ redirectUris, ...client }, max) => {
      await db.oauthClient.create({ data: { ...client, redirectUris: [...redirectUris] } })
      const beyond = await db.oauthClient.findMany({
        where: { consentedAt: null },
        orderBy: { createdAt: 'desc' },
        select: { id: true },
        skip: max,
      })
      const ids = beyond.map(({ id }) => id)
      if (ids.length > 0) await db.oauthClient.deleteMany({ where: { id: { in: ids }, consentedAt: null } })
    },

    token: async (hash) => {
      const principal = { select: { namespaceId: true, deletedAt: true } }
      const connection = { include: { ...named, principal } }
      const found = await db.agentToken.findUnique({ where: { hash }, include: { connection } })
      if (!found || found.connection.principal.deletedAt !== null) return null
      const { connection: of, kind, expiresAt, usedAt, ...token } = found
      return {
        ...token,
        kind: toKind(kind),
        expiresAt: toNumber(expiresAt),
        usedAt: usedAt === null ? null : toNumber(usedAt),
        homeId: of.principal.namespaceId,
        connection: { ...toConnection(of), principalId: of.principalId },
      }
    },

    list: (principalId, now) => listConnections(db, principalId, now),

    recordUse: async (id, at, since) => {
      const isOld = [{ lastUsedAt: null }, { lastUsedAt: { lt: since } }]
      await db.agentConnection.updateMany({ where: { id, OR: isOld }, data: { lastUsedAt: at } })
    },

    removeExpired: async (now, unconsentedSince) => {
      const tokens = await db.agentToken.deleteMany({ where: { expiresAt: { lte: now } } })
      const connections = await db.agentConnection.deleteMany({ where: { tokens: { none: {} } } })
      const clients = await db.oauthClient.deleteMany({
        where: { consentedAt: null, createdAt: { lte: unconsentedSince } },
      })
      return tokens.count + connections.count + clients.count
    },
  }
}

async function listConnections(db: Db, principalId: string, now: number): Promise<AgentConnection[]> {
  const rows = await db.agentConnection.findMany({
    where: { principalId, tokens: { some: { expiresAt: { gt: now } } } },
    include: named,
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  })
  return rows.map(toConnection)
}

type Row = Prisma.AgentConnectionGetPayload<{ include: typeof named }>

const toConnection = ({ id, clientId, clientName, perms, namespace, scopePrefix, ...row }: Row): AgentConnection => ({
  id,
  clientId,
  clientName,
  perms: toPermissions(perms),
  namespace: namespace?.name ?? null,
  scopePrefix,
  createdAt: toNumber(row.createdAt),
  lastUsedAt: row.lastUsedAt === null ? null : toNumber(row.lastUsedAt),
})

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
