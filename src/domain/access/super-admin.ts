import type { Namespace } from '../../model/registry.ts'
import type { Caller, SessionFacts } from '../../model/session.ts'
import type { AccessReader } from '../../ports/catalog/access-reader.ts'

/** The super-admin's target of this name. Of a deleted namespace, only the log is left. Null for an unknown name. */
export async function superAdminTarget(
  access: Pick<AccessReader, 'namespace' | 'deletedNamespace'>,
  name: string,
): Promise<Pick<SessionFacts, 'namespace' | 'scopes' | 'isDeleted' | 'asOf'> | null> {
  const live = await access.namespace(name)
  if (live) return live
  const namespace = await access.deletedNamespace(name)
  return namespace && { namespace, scopes: [], isDeleted: true }
}

export const superAdminId = 'super-admin'

/** It exists by configuration; every namespace counts as its home. */
export const superAdminCaller = (home: Namespace): Caller => ({
  principalId: superAdminId,
  home,
  kind: 'service',
  groups: [],
  readOnly: false,
  activeScope: '*',
  superAdmin: true,
})
