import type { TransferNamespace } from '../../../../ports/catalog/transfer.ts'
import type { Db } from '../../database/db.ts'
import { toTier } from '../../database/words.ts'
import type { Prisma } from '../../generated/client.ts'

/** Ordered by id. */
export async function namespacesBy(db: Db, where: Prisma.NamespaceWhereInput): Promise<TransferNamespace[]> {
  const found = await db.namespace.findMany({ where, orderBy: { id: 'asc' } })
  return found.map(({ id, name, tier, deletedAt }) => {
    return { id, name, tier: toTier(tier), deleted: deletedAt !== null }
  })
}
