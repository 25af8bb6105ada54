import { Session } from '../../model/session.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { enter } from './enter.ts'
import { superAdminCaller, superAdminId, superAdminTarget } from './super-admin.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock'> & { superAdminToken: string | undefined }

/**
 * A principal's current rights in a namespace, for work that it requested earlier and that runs without a credential.
 * Null for a deleted principal or namespace, or one that it may no longer enter.
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
