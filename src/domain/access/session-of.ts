import { Session } from '../../model/session.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { type Entry, enter } from './enter.ts'
import { superAdminCaller, superAdminId, superAdminTarget } from './super-admin.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock'> & { superAdminToken: string | undefined }

/**
 * A principal's current rights in a namespace, for work that it requested earlier and that runs without a credential.
 * Null for a deleted principal or namespace, or one that it may no longer enter.
 */
export const sessionOf = async (
  deps: Deps,
  principalId: string,
  namespace: string,
  requestId: string,
): Promise<Session | null> => (await present(deps, principalId, namespace, requestId))?.session ?? null

async function present(
  { catalog, clock, superAdminToken }: Deps,
  principalId: string,
  namespace: string,
  requestId: string,
  keyHash?: string,
): Promise<{ session: Session; token?: Entry['token'] } | null> {
  const bound = { requestId, requestedScope: undefined, restrictions: {} }
  if (principalId === superAdminId) {
    const target = superAdminToken === undefined ? null : await superAdminTarget(catalog.access, namespace)
    return (
      target && {
        session: new Session({ ...bound, ...target, caller: superAdminCaller(target.namespace), grants: [] }),
      }
    )
  }
  const entry = await enter(catalog.access, principalId, namespace, clock.now(), keyHash)
  return entry?.found ? { session: new Session({ ...bound, ...entry.found }), token: entry.token } : null
}

/** Who requested something, and with which key: null for a console session and the super-admin. */
export interface KeyHolder {
  principalId: string
  keyHash: string | null
}

/** The same with the restrictions of the key. Null also for a key that was revoked or has expired. */
export async function keySessionOf(
  deps: Deps,
  { principalId, keyHash }: KeyHolder,
  namespace: string,
  requestId: string,
): Promise<Session | null> {
  const found = await present(deps, principalId, namespace, requestId, keyHash ?? undefined)
  if (!found || keyHash === null) return found?.session ?? null
  const key = found.token === undefined ? await deps.catalog.access.token(keyHash) : found.token
  if (key?.principalId !== principalId) return null
  const { restrictions, expiresAt } = key
  if (expiresAt !== null && expiresAt <= deps.clock.now()) return null
  return found.session.with({ restrictions, keyHash, keyExpiresAt: expiresAt ?? undefined })
}
