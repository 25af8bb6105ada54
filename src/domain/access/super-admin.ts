import type { Namespace } from '../../model/registry.ts'
import type { Caller, SessionFacts } from '../../model/session.ts'
import type { AccessReader } from '../../ports/access-reader.ts'

/** What the super-admin finds under a name. Of a deleted namespace that is nothing but its log. Null for an unknown name. */
export async function superAdminTarget(
  access: Pick<AccessReader, 'namespace' | 'deletedNamespace'>,
  name: string,
): Promise<Pick<SessionFacts, 'namespace' | 'scopes' | 'isDeleted'> | null> {
  const live = await access.namespace(name)
  if (live) return live
  const namespace = await access.deletedNamespace(name)
  return namespace && { namespace, scopes: [], isDeleted: true }
}

export const superAdminId = 'super-admin'

/** It exists by configuration, and is at home wherever it is. */
export const superAdminCaller = (home: Namespace): Caller => ({
  principalId: superAdminId,
  home,
  kind: 'service',
  groups: [],
  readOnly: false,
  activeScope: '*',
  superAdmin: true,
})
