import type { Acl } from './unit.ts'

/** A principal with its groups. */
interface Person {
  principalId: string
  groups: readonly string[]
}

/** Who reads: a principal, only what a second one may read as well, or a caller without ACL limits. */
export type Reader = (Person & { also?: Person }) | 'unlimited'

/**
 * Which reader applies to which scopes, given by their ids. Groups may count in some scopes only, so a read has one
 * clause per reader. No scope is in two clauses.
 */
export interface ReadClause<ScopeIds = readonly string[]> {
  reader: Reader
  scopeIds: ScopeIds
}

const personal = 'user:'

/** The group that a principal has to itself, in every namespace. No other can be in it, and nothing registers it. */
export const ownGroup = (principalId: string): string => personal + principalId

/** Whether a name is that of a principal's own group. */
export const isPersonal = (group: string): boolean => group.startsWith(personal)

/** The canonical form of an ACL: each group once, in order. */
export const aclOf = (owner: string, groups: readonly string[]): Acl => ({ owner, groups: [...new Set(groups)].sort() })

export const readerKinds = ['everyone', 'group', 'owner', 'person'] as const

/** One of those who may read a Unit. */
export interface ReaderView {
  kind: (typeof readerKinds)[number]
  /** Of a principal, or the name of a group. */
  id: string
}

/** Who may read a Unit, its owner first. */
export const readersOf = ({ owner, groups }: Acl): ReaderView[] => [
  { kind: 'owner', id: owner },
  ...groups
    .filter((group) => group !== ownGroup(owner))
    .map((group): ReaderView => {
      if (isPersonal(group)) return { kind: 'person', id: group.slice(personal.length) }
      return { kind: group === '*' ? 'everyone' : 'group', id: group }
    }),
]

/** The per-Unit rule. Scope permissions are checked elsewhere, in addition. */
export function mayRead(reader: Reader, acl: Acl): boolean {
  if (reader === 'unlimited') return true
  return isOpen(reader, acl) && (reader.also === undefined || isOpen(reader.also, acl))
}

const isOpen = ({ principalId, groups }: Person, acl: Acl): boolean =>
  acl.owner === principalId || acl.groups.some((g) => opens(groups, g))

/** Which of a Unit's groups let a principal read it. */
export const openingGroups = ({ groups }: Exclude<Reader, 'unlimited'>, acl: Acl): string[] =>
  acl.groups.filter((g) => opens(groups, g))

const opens = (groups: readonly string[], group: string) =>
  group === '*' || (groups.length <= 16 ? groups.includes(group) : setOf(groups).has(group))

/** A reader of many groups is compared with many ACLs. */
const sets = new WeakMap<readonly string[], ReadonlySet<string>>()

function setOf(groups: readonly string[]): ReadonlySet<string> {
  const known = sets.get(groups) ?? new Set(groups)
  sets.set(groups, known)
  return known
}
