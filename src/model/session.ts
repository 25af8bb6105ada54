import {
  covers,
  type Grant,
  type HiddenCount,
  type KeyRestrictions,
  type Namespace,
  type NamespaceSettings,
  narrowestOf,
  overlap,
  type Permission,
  type Principal,
  permissions,
  type Scope,
  type ScopePattern,
} from './registry.ts'
import type { Room } from './request.ts'
import { tiers } from './tiers.ts'
import { isPersonal, ownGroup, type Plane, planes, type Reader } from './unit.ts'

/** What decides which permissions a principal has, and where in a namespace. */
interface AccessFacts {
  caller: Pick<Principal, 'kind' | 'readOnly'> & { superAdmin: boolean }
  /** The caller's grants in that namespace. */
  grants: readonly Grant[]
  /** The namespace's registered scopes. */
  scopes: readonly Scope[]
  restrictions: KeyRestrictions
}

interface AllowedScopes {
  covers(path: ScopePattern): boolean
  /** False when no place has the permission. */
  some: boolean
  /** Everything covered is at or below one of these. */
  roots: readonly ScopePattern[]
}

/** Where the caller has this permission. */
function allowedScopes(facts: AccessFacts, perm: Permission): AllowedScopes {
  const { caller, restrictions } = facts
  if (caller.superAdmin) return { covers: () => true, some: true, roots: ['*'] }
  const barred = isBarred(facts, perm) || restrictions.perms?.includes(perm) === false
  const granted = barred ? [] : grantsOf(facts, perm).map((grant) => grant.scope)
  const prefix = restrictions.scopePrefix ?? '*'
  const closed = closedScopes(facts, perm)
  const isClosed = (path: ScopePattern) => closed.some((scope) => covers(scope, path))
  // When a grant and a key's prefix overlap, the narrower one counts.
  const roots = granted
    .map((scope) => overlap(scope, prefix))
    .filter((root) => root !== null)
    .filter((root) => !isClosed(root))
  return {
    covers: (path) => granted.some((scope) => covers(scope, path)) && covers(prefix, path) && !isClosed(path),
    some: roots.length > 0,
    roots,
  }
}

/** The grants that carry a permission, before any restriction. */
export const grantsOf = ({ grants }: AccessFacts, perm: Permission): Grant[] =>
  grants.filter((grant) => grant.perms.includes(perm))

/** A read-only principal only reads, regardless of its grants. */
export const isBarred = ({ caller }: AccessFacts, perm: Permission): boolean => caller.readOnly && perm !== 'read'

/** The scopes where the permission is closed to the caller, with all scopes below, regardless of its grants. */
export const closedScopes = ({ caller, scopes }: AccessFacts, perm: Permission): string[] =>
  caller.kind === 'agent' && perm !== 'read' ? scopes.filter((s) => s.readOnlyAgents).map((s) => s.scope) : []

/** Who is calling. The super-admin has no record: it exists by configuration. */
export type Caller = Principal & { superAdmin: boolean }

/** A committed state of a namespace. Only the catalog that made it looks into it. */
export interface Moment {
  readonly namespaceId: string
}

/** Everything that decides what one request may access, read from the catalog for this request. */
export interface SessionFacts extends AccessFacts {
  caller: Caller
  /** The namespace that the request targets. */
  namespace: Namespace & NamespaceSettings
  /** It was deleted: only its audit log is still open, to the super-admin. */
  isDeleted?: boolean
  /** The state of the catalog that this was read in. */
  asOf?: Moment | undefined
  /** The stored hash of the request's key, if it was made with one. */
  keyHash?: string | undefined
  /** When the request's key expires, epoch milliseconds. */
  keyExpiresAt?: number | undefined
  /** Looks on as this principal: only what this session may read as well is read. */
  viewer?: Session | undefined
  /** The scope that header or query named, if any. */
  requestedScope: ScopePattern | undefined
  requestId: string
  /** The protocol of the request, if it is neither REST nor GraphQL: `mcp`. */
  via?: string | undefined
  /** The OAuth client that acts for the caller, if it is one. */
  client?: string | undefined
  /** The memory that the request takes, where it is limited. */
  room?: Room | undefined
}

/** The enforcement context of one request, for one namespace. It answers all questions of authorisation. */
export class Session {
  readonly facts: SessionFacts
  readonly namespace: Namespace
  readonly principalId: string
  readonly requestId: string
  readonly via: string | undefined
  readonly client: string | undefined
  /** Operations that were admitted, in this session and in sessions derived from it. */
  readonly passed: Set<string>
  readonly #allowed = new Map<Permission, AllowedScopes>()

  constructor(facts: SessionFacts, passed = new Set<string>()) {
    this.facts = facts
    this.passed = passed
    this.namespace = facts.namespace
    this.principalId = facts.caller.principalId
    this.requestId = facts.requestId
    this.via = facts.via
    this.client = facts.client
  }

  /** The same caller with another scope: a search body's `scope`, when header and query have none. */
  withScope(scope: ScopePattern): Session {
    return this.with({ requestedScope: scope })
  }

  /** The same request with other facts: the same key, in another namespace or at the present time. */
  with(changes: Partial<SessionFacts>): Session {
    return new Session({ ...this.facts, ...changes }, this.passed)
  }

  /** The same session for one operation only, which must still be admitted. */
  forOperation(): Session {
    return new Session(this.facts)
  }

  get scopeWasRequested(): boolean {
    return this.facts.requestedScope !== undefined
  }

  get requestedScope(): ScopePattern {
    return this.facts.requestedScope ?? this.homeActiveScope
  }

  /** The requested scope if it is specific and allowed; otherwise the principal's own. */
  get activeScope(): ScopePattern {
    const { requestedScope } = this
    return requestedScope !== '*' && this.mayAny(requestedScope) ? requestedScope : this.homeActiveScope
  }

  /** A principal's active scope is a path of its home namespace. Elsewhere the default is everything allowed. */
  private get homeActiveScope(): ScopePattern {
    const { caller, namespace } = this.facts
    return caller.home.id === namespace.id ? caller.activeScope : '*'
  }

  /** May the caller do this on this path (or in the whole namespace: `*`)? */
  may(perm: Permission, path: ScopePattern): boolean {
    return this.scopesWith(perm).covers(path)
  }

  /** May the caller do this there? Under `*`, the permission in one place is enough: `*` never widens. */
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

  /** The one question of authorisation: where does the caller have this permission? */
  scopesWith(perm: Permission): AllowedScopes {
    const known = this.#allowed.get(perm) ?? allowedScopes(this.facts, perm)
    this.#allowed.set(perm, known)
    return known
  }

  /** Registered scopes that the caller may see: any permission is enough. */
  get visibleScopes(): Scope[] {
    return this.facts.scopes.filter((s) => this.mayAny(s.scope))
  }

  /**
   * The requested registered scopes where the caller has `perm`. `read` must be held on the requested scope itself:
   * readable scopes below it do not count. Writes include writable scopes below it.
   */
  scopesInReach(perm: Permission): Scope[] {
    if (perm === 'read' && !this.mayUnder(perm, this.requestedScope)) return []
    const allowed = this.scopesWith(perm)
    const within = this.facts.scopes.filter((s) => covers(this.requestedScope, s.scope) && allowed.covers(s.scope))
    const { viewer } = this.facts
    return viewer ? within.filter((s) => viewer.may(perm, s.scope)) : within
  }

  /**
   * The caller's groups that count at this path (or in the whole namespace: `*`). In the home namespace, the
   * principal's groups count everywhere. Elsewhere, the groups of a grant count where it covers the path with `read`. A
   * key can only narrow them.
   */
  groupsAt(path: ScopePattern): readonly string[] {
    return this.#groupsOf((grant) => covers(grant.scope, path))
  }

  /** The groups that count somewhere in the requested scopes. */
  get requestedGroups(): readonly string[] {
    return this.requestedScope === '*' ? this.#groupsOf(() => true) : this.groupsAt(this.requestedScope)
  }

  #groupsOf(counts: (grant: Grant) => boolean): readonly string[] {
    const { caller, namespace } = this.facts
    const groups =
      caller.home.id === namespace.id
        ? caller.groups
        : grantsOf(this.facts, 'read')
            .filter(counts)
            .flatMap((grant) => grant.groups)
            .toSorted()
    return [...new Set(groups)].filter((group) => !isPersonal(group) && this.#counts(group))
  }

  /** Whether the key lets a group of the principal count. */
  #counts(group: string): boolean {
    return this.facts.restrictions.groups?.includes(group) !== false
  }

  /** An admin principal: `admin` on the whole namespace. */
  get isAdmin(): boolean {
    return this.may('admin', '*')
  }

  /** The reader for the per-Unit rule at this path. */
  readerAt(path: ScopePattern): Reader {
    const { caller, viewer } = this.facts
    const personal = [ownGroup(this.principalId)].filter((group) => this.#counts(group))
    const own = { principalId: this.principalId, groups: [...this.groupsAt(path), ...personal] }
    const also = viewer?.readerAt(path) ?? 'unlimited'
    if (caller.superAdmin) return also
    return also === 'unlimited' ? own : { ...own, also }
  }

  /** These scopes by reader: one reader for all, except for a guest whose grants name groups. */
  clausesOver(scopes: readonly Scope[]): { reader: Reader; scopes: readonly Scope[] }[] {
    if (scopes.length === 0) return []
    const { viewer } = this.facts
    if (!this.groupsVary && !viewer?.groupsVary) return [{ reader: this.readerAt('*'), scopes }]
    const groupsAt = (scope: string) => [this, ...(viewer ? [viewer] : [])].map((one) => one.groupsAt(scope).toSorted())
    const byGroups = Map.groupBy(scopes, ({ scope }) => JSON.stringify(groupsAt(scope)))
    return [...byGroups.values()].map((alike) => ({ reader: this.readerAt(alike[0]?.scope ?? '*'), scopes: alike }))
  }

  private get groupsVary(): boolean {
    const { caller, namespace, grants } = this.facts
    return !caller.superAdmin && caller.home.id !== namespace.id && grants.some((grant) => grant.groups.length > 0)
  }

  /** The key's planes: Units stored in other planes are out of reach. */
  get keyPlanes(): Plane[] {
    const { restrictions, viewer } = this.facts
    const own = planes.filter((p) => restrictions.planes?.includes(p) !== false)
    return viewer ? own.filter((p) => viewer.keyPlanes.includes(p)) : own
  }

  /** What answers say of hidden Units: the least of what the namespace, the key and the viewer's key allow. */
  get hiddenCount(): HiddenCount {
    const { namespace, restrictions, viewer } = this.facts
    return narrowestOf([namespace.hiddenCount, restrictions.hiddenCount, viewer?.hiddenCount])
  }

  /** Planes that the tier and the key open, before any scope's own restrictions. */
  get planes(): Plane[] {
    const open = tiers[this.namespace.tier].planes
    return this.keyPlanes.filter((p) => open.includes(p))
  }
}
