import { type AccessFacts, type AllowedScopes, allowedScopes, grantsOf } from './access.ts'
import type { Reader } from './acl.ts'
import { type Grant, type Namespace, type Permission, type Principal, permissions, type Scope } from './registry.ts'
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
  /** It was deleted: its audit log alone is still open, to the super-admin. */
  isDeleted?: boolean
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
  /** Operations that were admitted, in this session and those that were derived from it. */
  readonly passed: Set<string>
  readonly #allowed = new Map<Permission, AllowedScopes>()

  constructor(facts: SessionFacts, passed = new Set<string>()) {
    this.facts = facts
    this.passed = passed
    this.namespace = facts.namespace
    this.principalId = facts.caller.principalId
    this.requestId = facts.requestId
  }

  /** The same caller, bound to another scope: a search body's `scope`, when header and query are silent. */
  withScope(scope: ScopePattern): Session {
    return this.with({ requestedScope: scope })
  }

  /** The same request with other facts: the same key, in another namespace or as of now. */
  with(changes: Partial<SessionFacts>): Session {
    return new Session({ ...this.facts, ...changes }, this.passed)
  }

  /** The same session for one operation alone, which has still to be admitted. */
  forOperation(): Session {
    return new Session(this.facts)
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

  /** May the caller do this there, or somewhere below? */
  mayBelow(perm: Permission, path: ScopePattern): boolean {
    const { roots } = this.scopesWith(perm)
    return this.may(perm, path) || roots.some((root) => covers(path, root))
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

  /**
   * The registered scopes among those requested in which the caller holds `perm`. For `read` it must be held on what was
   * requested: what is readable below is none of it. Writes reach what is writable below.
   */
  scopesInReach(perm: Permission): Scope[] {
    if (perm === 'read' && !this.mayUnder(perm, this.requestedScope)) return []
    const allowed = this.scopesWith(perm)
    return this.facts.scopes.filter((s) => covers(this.requestedScope, s.scope) && allowed.covers(s.scope))
  }

  /**
   * The caller's groups that count at this path (or in all of the namespace: `*`). At home the principal's count
   * everywhere; elsewhere those of a grant count where it covers with `read`. A key can only narrow them.
   */
  groupsAt(path: ScopePattern): readonly string[] {
    return this.#groupsOf((grant) => covers(grant.scope, path))
  }

  /** The groups that count somewhere in what was requested. */
  get requestedGroups(): readonly string[] {
    return this.requestedScope === '*' ? this.#groupsOf(() => true) : this.groupsAt(this.requestedScope)
  }

  #groupsOf(counts: (grant: Grant) => boolean): readonly string[] {
    const { caller, namespace, restrictions } = this.facts
    const groups =
      caller.home.id === namespace.id
        ? caller.groups
        : grantsOf(this.facts, 'read')
            .filter(counts)
            .flatMap((grant) => grant.groups)
    return [...new Set(groups)].filter((group) => restrictions.groups?.includes(group) !== false)
  }

  /** An admin principal: `admin` on all of the namespace. */
  get isAdmin(): boolean {
    return this.may('admin', '*')
  }

  /** Whose eyes the per-Unit rule looks through at this path. */
  readerAt(path: ScopePattern): Reader {
    return this.facts.caller.superAdmin ? 'unlimited' : { principalId: this.principalId, groups: this.groupsAt(path) }
  }

  /** These scopes by whose eyes look into them: all through the same ones, but for a guest whose grants name groups. */
  clausesOver(scopes: readonly Scope[]): { reader: Reader; scopes: readonly Scope[] }[] {
    if (scopes.length === 0) return []
    if (!this.#groupsVary) return [{ reader: this.readerAt('*'), scopes }]
    const byGroups = Map.groupBy(scopes, ({ scope }) => JSON.stringify([...this.groupsAt(scope)].sort()))
    return [...byGroups.values()].map((alike) => ({ reader: this.readerAt(alike[0]?.scope ?? '*'), scopes: alike }))
  }

  get #groupsVary(): boolean {
    const { caller, namespace, grants } = this.facts
    return !caller.superAdmin && caller.home.id !== namespace.id && grants.some((grant) => grant.groups.length > 0)
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
