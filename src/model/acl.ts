import type { Acl } from './unit.ts'

/** Whose eyes a read goes through: a principal with its groups, or a caller without ACL limits. */
export type Reader = { principalId: string; groups: readonly string[] } | 'unlimited'

/**
 * Whose eyes look into which scopes, given by their ids. Groups may count in some scopes only, so a read has a clause for
 * each reader; no scope is in two of them.
 */
export interface ReadClause<ScopeIds = readonly string[]> {
  reader: Reader
  scopeIds: ScopeIds
}

/** An ACL in its one form: each group once, in order. */
export const aclOf = (owner: string, groups: readonly string[]): Acl => ({ owner, groups: [...new Set(groups)].sort() })

/** The per-Unit rule. Scope permission comes on top and is decided elsewhere. */
export function mayRead(reader: Reader, acl: Acl): boolean {
  if (reader === 'unlimited') return true
  return acl.owner === reader.principalId || acl.groups.some((g) => opens(reader.groups, g))
}

/** Which of a Unit's groups open it to a principal. */
export const openingGroups = ({ groups }: Exclude<Reader, 'unlimited'>, acl: Acl): string[] =>
  acl.groups.filter((g) => opens(groups, g))

const opens = (groups: readonly string[], group: string) => group === '*' || groups.includes(group)
