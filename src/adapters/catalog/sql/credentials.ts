import type { KeyRestrictions } from '../../../model/registry.ts'
import type { ConsoleUser } from '../../../ports/access/sessions.ts'
import { type Db, numbersOf } from '../database/db.ts'
import { toRestrictions } from '../database/words.ts'
import type { Prisma } from '../generated/client.ts'

export interface TokenRow {
  hash: string
  /** Names the token in lists and for revocation. */
  id: string
  name: string
  createdAt: number
  expiresAt: number | null
  restrictions: KeyRestrictions
}

/** An API token of a principal, as its owner sees it: never the token or its hash. Times are epoch milliseconds. */
export interface ApiKey extends Omit<TokenRow, 'hash'> {
  /** Not exact: it may lag by about a minute. Null if never used. */
  lastUsedAt: number | null
}

export interface TokenUse {
  hash: string
  /** Epoch milliseconds. */
  at: number
}

export function createTokenStore(db: Db) {
  return {
    /** Oldest first, including expired ones. */
    list: (principalId: string): Promise<ApiKey[]> => listTokens(db, principalId),

    /** What its principal calls the token with this hash. Null for one that was removed. */
    label: (hash: string): Promise<Pick<ApiKey, 'id' | 'name'> | null> =>
      db.token.findUnique({ where: { hash }, select: { id: true, name: true } }),

    /**
     * In one statement. Removed tokens are ignored, and time never moves back. Rows are locked in a fixed order, so that two
     * processes that record the same tokens wait for each other instead of failing.
     */
    recordUses: async (uses: readonly TokenUse[]) => {
      await db.$executeRaw`
        WITH used AS (
          SELECT t.hash, u.at
          FROM unnest(${uses.map((u) => u.hash)}::text[], ${uses.map((u) => u.at)}::bigint[]) AS u(hash, at)
          JOIN token t ON t.hash = u.hash
          ORDER BY t.hash FOR UPDATE OF t)
        UPDATE token SET last_used_at = greatest(last_used_at, used.at) FROM used WHERE token.hash = used.hash`
    },
  }
}

async function listTokens(db: Db, principalId: string) {
  const rows = await db.token.findMany({
    where: { principalId },
    omit: { hash: true, principalId: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  })
  return rows.map(({ restriction, ...key }) => ({ ...numbersOf(key), restrictions: toRestrictions(restriction) }))
}

/** Writes of tokens, in a transaction of the principal's home namespace. */
export function createTokenWriter(db: Db) {
  return {
    /** Like the store's, including the changes of this transaction. */
    list: (principalId: string): Promise<ApiKey[]> => listTokens(db, principalId),

    /** False, and nothing is written, when the principal has been deleted in the meantime. */
    insert: async (principalId: string, { restrictions, ...token }: TokenRow) => {
      const alive = await db.principal.findFirst({ where: { principalId, deletedAt: null }, select: { kind: true } })
      if (alive) await db.token.create({ data: { ...token, principalId, restriction: { ...restrictions } } })
      return alive !== null
    },

    /** Returns the hashes of revoked tokens. */
    remove: (principalId: string, ids: readonly string[]): Promise<string[]> =>
      removeTokens(db, { principalId, id: { in: [...ids] } }),
  }
}

/** Returns the hashes of those that were removed. */
export async function removeTokens(db: Db, where: Prisma.TokenWhereInput): Promise<string[]> {
  const found = await db.token.findMany({ where, select: { hash: true } })
  const hashes = found.map(({ hash }) => hash)
  await db.token.deleteMany({ where: { hash: { in: hashes } } })
  return hashes
}

/** The window in which tries are counted. */
const throttleMs = 60_000

/** What signing in has left. */
export const createSignInRecords = (db: Db) => ({
  /** Who has signed up with this address, in lower case; null if nobody has. */
  userByEmail: async (email: string): Promise<ConsoleUser | null> => {
    const user = await db.authUser.findUnique({ where: { email }, select: { id: true, email: true, name: true } })
    return user && { userId: user.id, email: user.email, name: user.name }
  },

  /** Removes sessions, and links in mails, that ended by `now`, epoch milliseconds; returns their number. */
  removeExpired: async (now: number) => {
    const ended = { where: { expiresAt: { lte: new Date(now) } } }
    const sessions = await db.authSession.deleteMany(ended)
    const links = await db.authVerification.deleteMany(ended)
    // Counted before the clock jumped back: such a row would refuse an address until then.
    const ahead = { where: { lastRequest: { gt: now + throttleMs } } }
    const tries = await db.authRateLimit.deleteMany(ahead)
    return sessions.count + links.count + tries.count
  },
})

export type SignInRecords = ReturnType<typeof createSignInRecords>
export type TokenStore = ReturnType<typeof createTokenStore>
