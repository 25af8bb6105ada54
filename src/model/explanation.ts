import type { Grant, Permission } from './registry.ts'
import { covers, type ScopePattern } from './registry.ts'
import { closedScopes, grantsOf, isBarred, type Session } from './session.ts'
import { tiers } from './tiers.ts'
import type { Unit } from './unit.ts'
import { isPersonal, mayRead, openingGroups } from './unit.ts'

export const reasonCodes = [
  'grant',
  'owner',
  'group',
  'no_grant',
  'no_acl',
  'not_readable',
  'read_only',
  'read_only_agents',
  'plane_closed',
  'principal_deleted',
] as const
export type ReasonCode = (typeof reasonCodes)[number]

export const reasonEffects = ['allows', 'denies', 'notes'] as const

/** One reason for or against an access. The last three fields name what it is about, if that applies. */
export interface Reason {
  code: ReasonCode
  effect: (typeof reasonEffects)[number]
  detail: string
  grant: Grant | null
  group: string | null
  scope: ScopePattern | null
}

export interface Verdict {
  allowed: boolean
  reasons: Reason[]
}

export interface Explanation {
  read: Verdict
  write: Verdict
}

/**
 * What a principal may do under a scope; `subject` is its session. Under `*`, one place with the permission is enough.
 */
export const explainScope = (subject: Session, scope: ScopePattern): Explanation => ({
  read: { allowed: subject.mayUnder('read', scope), reasons: scopeReasons(subject, 'read', scope) },
  write: { allowed: subject.mayUnder('write', scope), reasons: scopeReasons(subject, 'write', scope) },
})

/** What a principal may do with a Unit: it may change only what it may read. */
export function explainUnit(subject: Session, unit: Unit, pathTo: PathTo = () => null): Explanation {
  const { read, write } = explainScope(subject, unit.scope)
  const readable = read.allowed && mayRead(subject.readerAt(unit.scope), unit.acl)
  const notReadable = because('not_readable', 'denies', 'only readable Units can be changed')
  return {
    read: {
      allowed: readable,
      reasons: [...read.reasons, ...aclReasons(subject, unit, pathTo), ...planeNotes(subject, unit)],
    },
    write: {
      allowed: readable && write.allowed,
      reasons: readable ? write.reasons : [notReadable, ...write.reasons],
    },
  }
}

/** For a deleted principal. */
export function explainDeleted(): Explanation {
  const reasons = [because('principal_deleted', 'denies', 'the principal was deleted')]
  return { read: { allowed: false, reasons }, write: { allowed: false, reasons } }
}

function scopeReasons({ facts }: Session, perm: Permission, scope: ScopePattern): Reason[] {
  const grants = grantsOf(facts, perm).filter((grant) => scope === '*' || covers(grant.scope, scope))
  const where = scope === '*' ? 'exists' : `covers ${scope}`
  return [
    ...grants.map(grantReason),
    ...(grants.length === 0 ? [because('no_grant', 'denies', `no grant with ${perm} ${where}`)] : []),
    ...(isBarred(facts, perm) ? [because('read_only', 'denies', 'the principal is read-only')] : []),
    // Under `*`, the grants must lead to an open place.
    ...closedReasons(closedScopes(facts, perm), scope === '*' ? grants.map((grant) => grant.scope) : [scope]),
  ]
}

const grantReason = (grant: Grant) =>
  because('grant', 'allows', `grant ${grant.id} holds ${grant.perms.join(', ')} on ${grant.scope}`, { grant })

/** Empty while one of the places is open. */
function closedReasons(closed: readonly string[], places: readonly ScopePattern[]): Reason[] {
  const closing = places.flatMap((place) => closed.find((scope) => covers(scope, place)) ?? [])
  if (closing.length < places.length) return []
  return [...new Set(closing)].map((scope) =>
    because('read_only_agents', 'denies', `scope ${scope} is read-only to agents`, { scope }),
  )
}

/** The way to a group through others, the group itself first; null if there is none or it is direct. */
type PathTo = (group: string) => readonly string[] | null

function aclReasons(subject: Session, { acl, scope }: Unit, pathTo: PathTo): Reason[] {
  const reader = subject.readerAt(scope)
  if (reader === 'unlimited') return []
  const groups = openingGroups(reader, acl).map((group) =>
    because('group', 'allows', groupDetail(group, pathTo(group)), { group }),
  )
  const owner = acl.owner === reader.principalId
  if (owner) return [because('owner', 'allows', 'the principal owns the Unit'), ...groups]
  return groups.length > 0 ? groups : [because('no_acl', 'denies', 'neither owner nor in a group of the Unit')]
}

function groupDetail(group: string, path: readonly string[] | null): string {
  if (group === '*') return 'the Unit is open to everyone in its scope'
  if (isPersonal(group)) return `the Unit is open to the principal itself, by the group ${group}`
  const way = path === null || path.length < 2 ? '' : `; in ${path.join(' through ')}`
  return `the Unit is open to the group ${group}${way}`
}

/** A closed plane is not searched; its Units can still be fetched and listed. */
function planeNotes({ namespace, facts }: Session, { plane, scope }: Unit): Reason[] {
  const closedBy = [
    ...(tiers[namespace.tier].planes.includes(plane) ? [] : [`the ${namespace.tier} tier`]),
    ...(facts.scopes.find((s) => s.scope === scope)?.planes.includes(plane) === false ? [`scope ${scope}`] : []),
  ]
  return closedBy.map((by) => because('plane_closed', 'notes', `${by} has the plane ${plane} closed to searches`))
}

const because = (
  code: ReasonCode,
  effect: Reason['effect'],
  detail: string,
  about: Partial<Pick<Reason, 'grant' | 'group' | 'scope'>> = {},
): Reason => ({ code, effect, detail, grant: null, group: null, scope: null, ...about })
