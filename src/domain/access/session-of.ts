import { Session } from '../../model/session.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { enter } from './enter.ts'
import { superAdminCaller, superAdminId, superAdminTarget } from './super-admin.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock'> & { superAdminToken: string | undefined }

/**
 * What a principal may do in a namespace as of now, for work that it asked for earlier and comes without a credential.
 * Null for a principal or a namespace that is gone, or is no longer open to it.
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
  const found = (await enter(catalog.access, principalId, namespace, clock.now()))?.found
  return found ? new Session({ ...bound, ...found }) : null
}
