import type { TierName } from '../../../model/tiers.ts'
import type { TransferNamespace } from '../../../ports/transfer.ts'
import type { Db } from '../database/db.ts'
import type { Prisma } from '../generated/client.ts'

/** In order of their ids. */
export async function namespacesBy(db: Db, where: Prisma.NamespaceWhereInput): Promise<TransferNamespace[]> {
  const found = await db.namespace.findMany({ where, orderBy: { id: 'asc' } })
  return found.map(({ id, name, tier, deletedAt }) => {
    return { id, name, tier: tier as TierName, deleted: deletedAt !== null }
  })
}
