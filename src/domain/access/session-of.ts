import { Session } from '../../model/session.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { superAdminCaller, superAdminId, superAdminTarget } from './super-admin.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock'> & { superAdminToken: string | undefined }

/**
 * What a principal may do in a namespace as of now, for work that it asked for earlier and comes without a credential.
 * Null for a principal or a namespace that is gone.
 */
export async function sessionOf(
  { catalog, clock, superAdminToken }: Deps,
  principalId: string,
  namespace: string,
  requestId: string,
): Promise<Session | null> {
  const bound = { requestId, requestedScope: undefined, restrictions: {} }
  if (principalId === superAdminId) {
    const target = superAdminToken === undefined ? null : await superAdminTarget(catalog.access, namespace)
    return target && new Session({ ...bound, ...target, caller: superAdminCaller(target.namespace), grants: [] })
  }
  const membership = await catalog.access.membership(principalId, namespace, clock.now())
  if (!membership?.target) return null
  return new Session({ ...bound, ...membership.target, caller: { ...membership.principal, superAdmin: false } })
}
