import { Session } from '../../model/session.ts'
import type { Catalog } from '../../ports/catalog.ts'
import { superAdminCaller, superAdminId } from './super-admin.ts'

type Deps = { catalog: Pick<Catalog, 'access'>; superAdminToken: string | undefined }

/**
 * What a principal may do in a namespace as of now, for work that it asked for earlier and comes without a credential.
 * Null for a principal or a namespace that is gone.
 */
export async function sessionOf(
  { catalog, superAdminToken }: Deps,
  principalId: string,
  namespace: string,
  requestId: string,
): Promise<Session | null> {
  const bound = { requestId, requestedScope: undefined, restrictions: {} }
  if (principalId === superAdminId) {
    const target = superAdminToken === undefined ? null : await catalog.access.namespace(namespace)
    return target && new Session({ ...bound, ...target, caller: superAdminCaller(target.namespace), grants: [] })
  }
  const membership = await catalog.access.membership(principalId, namespace)
  if (!membership?.target) return null
  return new Session({ ...bound, ...membership.target, caller: { ...membership.principal, superAdmin: false } })
}
