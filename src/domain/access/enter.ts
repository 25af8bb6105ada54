import type { SessionFacts } from '../../model/session.ts'
import type { AccessReader, Membership } from '../../ports/catalog/access-reader.ts'

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
