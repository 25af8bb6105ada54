import type { AccessReader, Membership } from '../../../ports/catalog/access-reader.ts'
import type { Commits } from './commits.ts'
import type { Held } from './held.ts'

/** About what an entry takes. Bytes. */
const sizes = { entry: 400, row: 250 }

/** An answer that holds for the times `from` <= t < `until`, while no commit changes who may do what. */
interface Known {
  version: number
  value: unknown
  from: number
  until: number
}

/** Answers what is known from memory, as of the last commit. */
export function createAccessMemory(reader: AccessReader, commits: Commits, held: Held): AccessReader {
  const recall = async <T>(key: string, now: number, read: () => Promise<T>, span: (value: T) => Span | null) => {
    await commits.settled
    const version = commits.access
    const known = held.get(key) as Known | undefined
    if (known && known.version === version && known.from <= now && now < known.until) return known.value as T
    const value = await read()
    const kept = commits.access === version ? span(value) : null
    if (kept) held.set(key, { version, value, from: kept.from ?? 0, until: kept.until ?? Infinity }, kept.size)
    return value
  }

  return {
    token: (hash) => recall(`token ${hash}`, 0, () => reader.token(hash), ifFound),

    principalOfUser: (userId) => recall(`user ${userId}`, 0, () => reader.principalOfUser(userId), ifFound),

    membership: (principalId, name, now) =>
      recall(
        JSON.stringify(['member', principalId, name]),
        now,
        () => reader.membership(principalId, name, now),
        (membership) => spanOf(membership, now),
      ),

    namespace: (name) =>
      recall(
        `namespace ${name}`,
        0,
        () => reader.namespace(name),
        (found) => found && { size: sizes.entry + found.scopes.length * sizes.row },
      ),

    deletedNamespace: (name) => reader.deletedNamespace(name),
    wasDeleted: (namespaceId, principalId) => reader.wasDeleted(namespaceId, principalId),
    hasPrincipals: () => reader.hasPrincipals(),
  }
}

interface Span {
  size: number
  from?: number
  until?: number
}

/** What is not found is not kept: guessing must not fill the memory. */
const ifFound = (found: object | string | null): Span | null => (found === null ? null : { size: sizes.entry })

/** Until the first of its grants expires. */
function spanOf(membership: Membership | null, now: number): Span | null {
  if (!membership?.target) return null
  const { grants, scopes } = membership.target
  const until = Math.min(...grants.map(({ expiresAt }) => expiresAt ?? Infinity))
  return { from: now, until, size: sizes.entry + (grants.length + scopes.length) * sizes.row }
}
