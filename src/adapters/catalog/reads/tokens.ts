import type { TokenStore } from '../../../ports/catalog/tokens.ts'
import { type Db, toNumber } from '../database/db.ts'
import { toRestrictions } from '../database/words.ts'
import { recordUses } from '../sql/token-uses.ts'

export function createTokenStore(db: Db): TokenStore {
  return {
    list: (principalId) => listTokens(db, principalId),

    recordUses: (uses) => recordUses(db, uses),
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
