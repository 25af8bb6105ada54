import type { TokenWriter } from '../../../ports/tokens.ts'
import type { Db } from '../database/db.ts'
import { listTokens } from '../reads/tokens.ts'

export function createTokenWriter(db: Db): TokenWriter {
  return {
    list: (principalId) => listTokens(db, principalId),

    insert: async (principalId, { restrictions, ...token }) => {
      const alive = await db.principal.findFirst({ where: { principalId, deletedAt: null }, select: { kind: true } })
      if (alive) await db.token.create({ data: { ...token, principalId, restriction: { ...restrictions } } })
      return alive !== null
    },

    remove: async (principalId, ids) => {
      const removed = await db.$queryRaw<{ hash: string }[]>`
        DELETE FROM token WHERE principal_id = ${principalId} AND id = ANY(${[...ids]}::text[]) RETURNING hash`
      return removed.map(({ hash }) => hash)
    },
  }
}
