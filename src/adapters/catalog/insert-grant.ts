import type { GrantRow } from '../../ports/namespace-writer.ts'
import type { Db } from './db.ts'

export async function insertGrant(db: Db, namespaceId: string, { perms, groups, ...grant }: GrantRow): Promise<void> {
  await db.grant.create({ data: { ...grant, namespaceId, perms: [...perms], groups: [...groups] } })
}
