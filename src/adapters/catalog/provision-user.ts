import { genesisHash } from '../../model/audit.ts'
import type { NewHome } from '../../ports/provisioner.ts'
import type { Db } from './db.ts'
import { insertGrant } from './insert-grant.ts'

/** Writes all that a provisioned user is made of. Two for the same user collide on the link. */
export async function provisionUser(db: Db, home: NewHome): Promise<void> {
  const { userId, principalId, namespace, tier, grant, scope, createdAt } = home
  const { scope: path, planes, ...starter } = scope
  await db.namespace.create({
    data: {
      ...namespace,
      tier,
      owner: principalId,
      registered: false,
      createdAt,
      head: { create: { auditHash: genesisHash } },
      scopes: { create: { ...starter, path, planes: [...planes], createdAt } },
    },
  })
  await db.principal.create({
    data: { principalId, namespaceId: namespace.id, kind: 'user', groups: [], userId, createdAt },
  })
  await insertGrant(db, namespace.id, { ...grant, principalId, grantedBy: principalId, createdAt })
}
