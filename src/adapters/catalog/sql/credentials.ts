import type { SignInRecords } from '../../../ports/catalog/sign-in-records.ts'
import type { TokenStore, TokenWriter } from '../../../ports/catalog/tokens.ts'
import { type Db, toNumber } from '../database/db.ts'
import { toRestrictions } from '../database/words.ts'
import type { Prisma } from '../generated/client.ts'

export function createTokenStore(db: Db): TokenStore {
  return {
    list: (principalId) => listTokens(db, principalId),

    recordUses: (uses) => recordUses(db, uses),
  }
}

async function listTokens(db: Db, principalId: string) {
  const rows = await db.token.findMany({
    where: { principalId },
    omit: { hash: true, principalId: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  })
  return rows.map(({ restriction, createdAt, expiresAt, lastUsedAt, ...key }) => ({
    ...key,
    createdAt: toNumber(createdAt),
    expiresAt: expiresAt === null ? null : toNumber(expiresAt),
    lastUsedAt: lastUsedAt === null ? null : toNumber(lastUsedAt),
    restrictions: toRestrictions(restriction),
  }))
}

export function createTokenWriter(db: Db): TokenWriter {
  return {
    list: (principalId) => listTokens(db, principalId),

    insert: async (principalId, { restrictions, ...token }) => {
      const alive = await db.principal.findFirst({ where: { principalId, deletedAt: null }, select: { kind: true } })
      if (alive) await db.token.create({ data: { ...token, principalId, restriction: { ...restrictions } } })
      return alive !== null
    },

    remove: (principalId, ids) => removeTokens(db, { principalId, id: { in: [...ids] } }),
  }
}

/** Returns the hashes of those that were removed. */
export async function removeTokens(db: Db, where: Prisma.TokenWhereInput): Promise<string[]> {
  const found = await db.token.findMany({ where, select: { hash: true } })
  const hashes = found.map(({ hash }) => hash)
  await db.token.deleteMany({ where: { hash: { in: hashes } } })
  return hashes
}

type Uses = Parameters<TokenStore['recordUses']>[0]

/** Locked in a fixed order, so that two processes that record the same tokens wait for each other instead of failing. */
async function recordUses(db: Db, uses: Uses): Promise<void> {
  await db.$executeRaw`
    WITH used AS (
      SELECT t.hash, u.at
      FROM unnest(${uses.map((u) => u.hash)}::text[], ${uses.map((u) => u.at)}::bigint[]) AS u(hash, at)
      JOIN token t ON t.hash = u.hash
      ORDER BY t.hash FOR UPDATE OF t)
    UPDATE token SET last_used_at = greatest(last_used_at, used.at) FROM used WHERE token.hash = used.hash`
}

/** The window in which tries are counted. */
const throttleMs = 60_000

export const createSignInRecords = (db: Db): SignInRecords => ({
  removeExpired: async (now) => {
    const ended = { where: { expiresAt: { lte: new Date(now) } } }
    const sessions = await db.authSession.deleteMany(ended)
    const links = await db.authVerification.deleteMany(ended)
    // Counted before the clock jumped back: such a row would refuse an address until then.
    const ahead = { where: { lastRequest: { gt: now + throttleMs } } }
    const tries = await db.authRateLimit.deleteMany(ahead)
    return sessions.count + links.count + tries.count
  },
})
