import type { SessionFacts } from '../../model/session.ts'
import type { AccessReader, Membership } from '../../ports/access-reader.ts'

/** A principal, and what it finds in the namespace: null for one that it may not enter, or that does not exist. */
export interface Entry {
  principal: Membership['principal']
  found: Pick<SessionFacts, 'caller' | 'namespace' | 'scopes' | 'grants'> | null
}

/**
 * The one place that decides who may enter a namespace: the principals whose home it is, and those who hold a grant there
 * at `now`. Without a name it is the home. Null for a principal that is unknown or deleted.
 */
export async function enter(
  access: Pick<AccessReader, 'membership'>,
  principalId: string,
  name: string | undefined,
  now: number,
): Promise<Entry | null> {
  const membership = await access.membership(principalId, name, now)
  if (!membership) return null
  const { principal, target } = membership
  const mayEnter = target && (target.namespace.id === principal.home.id || target.grants.length > 0)
  return { principal, found: mayEnter ? { caller: { ...principal, superAdmin: false }, ...target } : null }
}
