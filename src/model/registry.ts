import type { TierName } from './tiers.ts'
import type { Plane } from './unit.ts'

export const permissions = ['read', 'write', 'admin'] as const
export type Permission = (typeof permissions)[number]

export const principalKinds = ['user', 'agent', 'service'] as const
export type PrincipalKind = (typeof principalKinds)[number]

/** The starter scope of a home namespace. While this is its only content, the namespace counts as having no scopes. */
export const starterScope = 'default/main'

/** What answers say of hidden Units, the least first: nothing, whether there are any, or how many. */
export const hiddenCounts = ['off', 'some', 'exact'] as const
export type HiddenCount = (typeof hiddenCounts)[number]

/** The one that says least; without any, all is said. */
export const narrowestOf = (counts: readonly (HiddenCount | undefined)[]): HiddenCount =>
  hiddenCounts.find((one) => counts.includes(one)) ?? 'exact'

/** `id` is created once and never reused; `name` is the label on the wire. */
export interface Namespace {
  id: string
  name: string
  tier: TierName
}

/** What an admin principal of a namespace can change, for all requests in it. */
export interface NamespaceSettings {
  hiddenCount: HiddenCount
  /** Identifies its synonyms; null where it has none. */
  synonymsVersion: string | null
}

/** Words and phrases that a search takes for each other: each of a group for all others of it, `from` for those of `to`. */
export interface Synonyms {
  groups: readonly (readonly string[])[]
  oneWay: readonly { from: string; to: readonly string[] }[]
}

/** `principalId` is immutable, unique across namespaces and never reused, so it serves as the key. */
export interface Principal {
  principalId: string
  home: Namespace
  kind: PrincipalKind
  groups: readonly string[]
  readOnly: boolean
  activeScope: ScopePattern
}

/** Permissions on a scope path and everything below it, or on `*`. */
export interface Grant {
  id: string
  scope: ScopePattern
  perms: readonly Permission[]
  groups: readonly string[]
  /** When it expires, epoch milliseconds. Null for never. */
  expiresAt: number | null
}

/** A registered scope. `id` belongs to this record: a scope created again under the same path has another one. */
export interface Scope {
  id: string
  scope: string
  namespace: string
  parent: string | null
  planes: readonly Plane[]
  readOnlyAgents: boolean
  createdAt: number
}

/** The restrictions of an API key; `undefined` for none. A key can only narrow. */
export interface KeyRestrictions {
  perms?: readonly Permission[]
  scopePrefix?: string
  planes?: readonly Plane[]
  groups?: readonly string[]
  hiddenCount?: HiddenCount
}

/** A namespace as the registry stores it. */
export interface NamespaceRecord extends Namespace, NamespaceSettings {
  /** The principal that claimed it, or null. */
  owner: string | null
  /** False for a home namespace that was provisioned for its user and not claimed. */
  registered: boolean
  /** Epoch milliseconds. */
  createdAt: number
}

/** A grant as the registry stores it; `namespace` is the name of the granted namespace. */
export interface GrantRecord extends Grant {
  principalId: string
  namespace: string
  grantedBy: string
  /** Epoch milliseconds. */
  createdAt: number
}

/** A principal as the registry of its home namespace stores it; `namespace` is that namespace's name. */
export interface PrincipalRecord extends Omit<Principal, 'home'> {
  namespace: string
  /** For people to read: it selects nothing. Null without one. */
  name: string | null
  /** Of a person who signs in; else null. */
  email: string | null
  /** Those of its groups that come through other groups only. */
  inheritedGroups: readonly string[]
  /** Epoch milliseconds. */
  createdAt: number
}

/** In characters. */
export const maxPathLength = 256

// No segment is `.` or `..`. Generators of clients copy it: without lookahead and `\w` it means the same in every language.
const segment = String.raw`(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})`
const segments = `${segment}(/${segment}){0,7}`

/** Scope paths: 1-8 segments of `[A-Za-z0-9._-]`, no empty, `.` or `..` segment. */
export const scopePathPattern = new RegExp(`^${segments}$`)
export const scopePatternPattern = new RegExp(`^([*]|${segments})$`)

export const isScopePath = (value: string): boolean => value.length <= maxPathLength && scopePathPattern.test(value)

/** The scope of a request or grant: a path, or `*` for everything. */
export type ScopePattern = string

/** `acme` covers `acme` and `acme/backend`, not `acmeco`; `*` covers every path and itself. */
export function covers(pattern: ScopePattern, path: ScopePattern): boolean {
  return pattern === '*' || pattern === path || (path !== '*' && path.startsWith(`${pattern}/`))
}

/** The narrower of two patterns that overlap, or null. */
export function overlap(a: ScopePattern, b: ScopePattern): ScopePattern | null {
  if (covers(a, b)) return b
  return covers(b, a) ? a : null
}

/** The nearest of `registered` strictly above `path`, or null. */
export function nearestAncestor(path: string, registered: Iterable<string>): string | null {
  let nearest: string | null = null
  for (const other of registered) {
    if (other !== path && covers(other, path) && other.length > (nearest?.length ?? 0)) nearest = other
  }
  return nearest
}
