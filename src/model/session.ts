import { type AccessFacts, type AllowedScopes, allowedScopes } from './access.ts'
import type { Reader } from './acl.ts'
import { type Namespace, type Permission, type Principal, permissions, type Scope } from './registry.ts'
import { covers, type ScopePattern } from './scope-path.ts'
import { tiers } from './tiers.ts'
import { type Plane, planes } from './unit.ts'

/** Who is calling. The super-admin has no record of its own: it exists by configuration. */
export type Caller = Principal & { superAdmin: boolean }

/** Everything that decides what one request may touch, as read from the catalog for this request. */
export interface SessionFacts extends AccessFacts {
  caller: Caller
  /** The namespace that the request targets. */
  namespace: Namespace
  /** When the key that the request came with ends, epoch milliseconds. */
  keyExpiresAt?: number | undefined
  /** What header or query asked for, if they did. */
  requestedScope: ScopePattern | undefined
  requestId: string
}

/** The enforcement context of one request, bound to one namespace. All authorisation is asked here. */
export class Session {
  readonly facts: SessionFacts
  readonly namespace: Namespace
  readonly principalId: string
  readonly requestId: string
  readonly groups: readonly string[]
  readonly #allowed = new Map<Permission, AllowedScopes>()

  constructor(facts: SessionFacts) {
    this.facts = facts
    this.namespace = facts.namespace
    this.principalId = facts.caller.principalId
    this.requestId = facts.requestId
    this.groups = groupsIn(facts)
  }

  /** The same caller, bound to another scope: a search body's `scope`, when header and query are silent. */
  withScope(scope: ScopePattern): Session {
    return new Session({ ...this.facts, requestedScope: scope })
  }

  get scopeWasRequested(): boolean {
    return this.facts.requestedScope !== undefined
  }

  get requestedScope(): ScopePattern {
    return this.facts.requestedScope ?? this.homeActiveScope
  }

  /** A specific allowed scope that is asked for; otherwise the principal's own. */
  get activeScope(): ScopePattern {
    const { requestedScope } = this
    return requestedScope !== '*' && this.mayAny(requestedScope) ? requestedScope : this.homeActiveScope
  }

  /** A principal's active scope is a path of its home namespace; elsewhere it starts from everything allowed. */
  private get homeActiveScope(): ScopePattern {
    const { caller, namespace } = this.facts
    return caller.home.id === namespace.id ? caller.activeScope : '*'
  }

  /** May the caller do this on this path (or on all of the namespace: `*`)? */
  may(perm: Permission, path: ScopePattern): boolean {
    return this.scopesWith(perm).covers(path)
  }

  /** May the caller do this there? Under `*` it is enough to hold the permission somewhere: `*` never widens. */
  mayUnder(perm: Permission, path: ScopePattern): boolean {
    const allowed = this.scopesWith(perm)
    return path === '*' ? allowed.some : allowed.covers(path)
  }

  mayAny(path: ScopePattern): boolean {
    return permissions.some((perm) => this.may(perm, path))
  }

  /** The one question of authorisation: where does the caller hold this permission? */
  scopesWith(perm: Permission): AllowedScopes {
    const known = this.#allowed.get(perm) ?? allowedScopes(this.facts, perm)
    this.#allowed.set(perm, known)
    return known
  }

  /** Registered scopes that the caller may see: any permission will do. */
  get visibleScopes(): Scope[] {
    return this.facts.scopes.filter((s) => this.mayAny(s.scope))
  }

  /** The registered scopes among those requested in which the caller holds `perm`. */
  scopesInReach(perm: Permission): Scope[] {
    const allowed = this.scopesWith(perm)
    return this.facts.scopes.filter((s) => covers(this.requestedScope, s.scope) && allowed.covers(s.scope))
  }

  /** An admin principal: `admin` on all of the namespace. */
  get isAdmin(): boolean {
    return this.may('admin', '*')
  }

  /** Whose eyes the per-Unit rule looks through. */
  get reader(): Reader {
    return this.facts.caller.superAdmin ? 'unlimited' : { principalId: this.principalId, groups: this.groups }
  }

  /** Planes that the key opens: of what is stored in others, it reaches nothing. */
  get keyPlanes(): Plane[] {
    return planes.filter((p) => this.facts.restrictions.planes?.includes(p) !== false)
  }

  /** Planes that the tier and the key open, before any scope's own. */
  get planes(): Plane[] {
    const open = tiers[this.namespace.tier].planes
    return this.keyPlanes.filter((p) => open.includes(p))
  }
}

/** A principal's groups count in its home; elsewhere those of its grants do. A key can only narrow them. */
function groupsIn({ caller, namespace, grants, restrictions }: SessionFacts): readonly string[] {
  const groups = caller.home.id === namespace.id ? caller.groups : [...new Set(grants.flatMap((grant) => grant.groups))]
  return restrictions.groups ? groups.filter((g) => restrictions.groups?.includes(g)) : groups
}
