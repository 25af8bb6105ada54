import type { Acl } from './unit.ts'

/** Whose eyes a read goes through: a principal with its groups, or a caller without ACL limits. */
export type Reader = { principalId: string; groups: readonly string[] } | 'unlimited'

/** The per-Unit rule. Scope permission comes on top and is decided elsewhere. */
export function mayRead(reader: Reader, acl: Acl): boolean {
  if (reader === 'unlimited') return true
  return acl.owner === reader.principalId || acl.groups.some((g) => g === '*' || reader.groups.includes(g))
}
