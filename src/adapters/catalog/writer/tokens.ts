import type { TokenWriter } from '../../../ports/catalog/tokens.ts'
import type { Db } from '../database/db.ts'
import type { Prisma } from '../generated/client.ts'
import { listTokens } from '../reads/tokens.ts'

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
