import type { Namespace, Permission } from '../../../model/registry.ts'
import { oneOf } from '../database/columns.ts'
import { type Db, numbersOf } from '../database/db.ts'
import { toPermissions } from '../database/words.ts'
import type { Prisma } from '../generated/client.ts'
import { ofNamespace } from './registry.ts'

/** A program that may ask people to let it act for them. Times are epoch milliseconds. */
export interface OauthClient {
  id: string
  name: string
  redirectUris: readonly string[]
  applicationType: 'native' | 'web'
  createdAt: number
  /** When a person first consented; null before. */
  consentedAt: number | null
}

/** A person's consent to a client, as the person sees it. */
export interface AgentConnection {
  id: string
  clientId: string
  clientName: string
  perms: readonly Permission[]
  /** The only namespace that it may enter, by name; null for all of the person's. */
  namespace: string | null
  scopePrefix: string | null
  createdAt: number
  /** It may lag by a minute. Null if never used. */
  lastUsedAt: number | null
}

export interface NewConnection extends Omit<AgentConnection, 'namespace' | 'lastUsedAt'> {
  principalId: string
  namespaceId: Namespace['id'] | null
}

export interface AgentTokenRow {
  /** SHA-256 of the token, hex. */
  hash: string
  connectionId: string
  kind: 'code' | 'access' | 'refresh'
  expiresAt: number
  /** Of a code: what its exchange must repeat. */
  redirectUri: string | null
  codeChallenge: string | null
}

export interface FoundToken extends AgentTokenRow {
  connection: AgentConnection & { principalId: string }
  /** The home namespace of the principal. */
  homeId: string
  usedAt: number | null
}

const toApplicationType = oneOf(['native', 'web'] as const, 'a type of clients')
const toKind = oneOf(['code', 'access', 'refresh'] as const, 'a kind of tokens')

export function createAgentStore(db: Db) {
  return {
    client: async (id: string): Promise<OauthClient | null> => {
      const found = await db.oauthClient.findUnique({ where: { id } })
      return found && { ...numbersOf(found), applicationType: toApplicationType(found.applicationType) }
    },

    /** Beyond `max` clients that nobody consented to, the oldest of them are removed. */
    insertClient: async ({ redirectUris, ...client }: OauthClient, max: number) => {
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

    /** Null for an unknown token, and for one of a deleted principal. The caller checks `expiresAt` and `usedAt`. */
    token: async (hash: string): Promise<FoundToken | null> => {
      const principal = { select: { namespaceId: true, deletedAt: true } }
      const connection = { include: { ...ofNamespace, principal } }
      const found = await db.agentToken.findUnique({ where: { hash }, include: { connection } })
      if (!found || found.connection.principal.deletedAt !== null) return null
      const { connection: joined, kind, ...token } = found
      const { principal: owner, ...of } = joined
      return {
        ...numbersOf(token),
        kind: toKind(kind),
        homeId: owner.namespaceId,
        connection: { ...toConnection(of), principalId: of.principalId },
      }
    },

    /** The connections of a principal that have an unexpired token, oldest first. */
    list: (principalId: string, now: number): Promise<AgentConnection[]> => listConnections(db, principalId, now),

    /** Writes the time of last use if the stored one is before `since`. */
    recordUse: async (id: string, at: number, since: number) => {
      const isOld = [{ lastUsedAt: null }, { lastUsedAt: { lt: since } }]
      await db.agentConnection.updateMany({ where: { id, OR: isOld }, data: { lastUsedAt: at } })
    },

    /**
     * Removes tokens that expired by `now`, connections without a token, and clients that were registered before
     * `unconsentedSince` and that nobody consented to; returns their number.
     */
    removeExpired: async (now: number, unconsentedSince: number) => {
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
    include: ofNamespace,
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  })
  return rows.map(toConnection)
}

type Row = Prisma.AgentConnectionGetPayload<{ include: typeof ofNamespace }>

const toConnection = ({ principalId: _, namespaceId: __, perms, namespace, ...row }: Row): AgentConnection => ({
  ...numbersOf(row),
  perms: toPermissions(perms),
  namespace: namespace?.name ?? null,
})

/** Writes of connections, in a transaction of the principal's home namespace. */
export function createAgentWriter(db: Db) {
  return {
    list: (principalId: string, now: number): Promise<AgentConnection[]> => listConnections(db, principalId, now),

    /** False, and nothing is written, when the principal was deleted or the client removed in the meantime. */
    connect: async ({ perms, ...connection }: NewConnection, token: AgentTokenRow) => {
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

    /** Marks a token as used. False if it was used before, or does not exist any more. */
    use: async (hash: string, at: number) =>
      (await db.agentToken.updateMany({ where: { hash, usedAt: null }, data: { usedAt: at } })).count > 0,

    issue: async (tokens: readonly AgentTokenRow[]) => {
      await db.agentToken.createMany({ data: [...tokens] })
    },

    /** Ends a connection with all of its tokens. False if it does not exist. */
    remove: async (principalId: string, id: string) =>
      (await db.agentConnection.deleteMany({ where: { principalId, id } })).count > 0,
  }
}

export type AgentStore = ReturnType<typeof createAgentStore>
