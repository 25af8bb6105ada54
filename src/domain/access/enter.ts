import type { Namespace } from '../../model/registry.ts'
import { type Caller, Session, type SessionFacts } from '../../model/session.ts'
import type { AccessReader, Membership } from '../../ports/catalog.ts'
import type { Bindings } from '../bindings/bindings.ts'

/** A principal and its rights in the namespace. `found` is null if the namespace does not exist or it may not enter. */
export interface Entry {
  principal: Membership['principal']
  /** See `Membership`. */
  token: Membership['token']
  found: Pick<SessionFacts, 'caller' | 'namespace' | 'scopes' | 'grants' | 'asOf'> | null
}

/**
 * The one place that decides who may enter a namespace: principals whose home it is, and those with a valid grant there
 * at `now`. Without a name, the home namespace is meant. Null for an unknown or deleted principal.
 */
export async function enter(
  access: Pick<AccessReader, 'membership'>,
  principalId: string,
  name: string | undefined,
  now: number,
  tokenHash?: string,
): Promise<Entry | null> {
  const membership = await access.membership(principalId, name, now, tokenHash)
  if (!membership) return null
  const { principal, token, target } = membership
  const mayEnter = target && (target.namespace.id === principal.home.id || target.grants.length > 0)
  return { principal, token, found: mayEnter ? { caller: { ...principal, superAdmin: false }, ...target } : null }
}

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
interface KeyHolder {
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
