import type { TokenStore } from '../../../ports/tokens.ts'
import { type Db, toNumber } from '../database/db.ts'
import { toRestrictions } from '../database/words.ts'

export function createTokenStore(db: Db): TokenStore {
  return {
    list: (principalId) => listTokens(db, principalId),

    // Locked in a fixed order, so that two processes that record the same tokens wait for each other instead of
    // failing.
    recordUses: async (uses) => {
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

export async function listTokens(db: Db, principalId: string) {
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
