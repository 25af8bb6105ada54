import type { KeyRestrictions, Permission, PrincipalKind } from '../../../src/model/registry.ts'
import type { TierName } from '../../../src/model/tiers.ts'
import type { Metadata, Modality, Plane } from '../../../src/model/unit.ts'
import type { TestGrant } from '../../support/access/principals.ts'
import type { ModelDocument, ModelLink } from './documents/model.ts'

/** A second implementation of the access rules, independent of the service, to compare the service with. */

export interface ScopeFacts {
  planes: readonly Plane[]
  readOnlyAgents: boolean
}

export interface Namespace {
  name: string
  tier: TierName
  /** The principal that claimed it. */
  owner: string | null
  /** Registered scopes, by path. */
  scopes: Map<string, ScopeFacts>
}

export interface Actor {
  id: string
  token: string
  home: string
  kind: PrincipalKind
  groups: readonly string[]
  readOnly: boolean
  activeScope: string
  grants: Required<TestGrant>[]
  superAdmin: boolean
  /** The restrictions of its key; several actors may be keys of one principal. */
  restrictions: KeyRestrictions
}

export interface ModelUnit {
  unitId: string
  namespace: string
  scope: string
  plane: Plane
  modality: Modality
  owner: string
  groups: readonly string[]
  /** The words of the text; empty for a Unit without text. One word is the Unit's secret. */
  words: readonly string[]
  secret: string
  externalId: string | null
  docId: string | null
  sourceUri: string | null
  metadata: Metadata
  writer: Actor
  /** `lost`: its scope was deleted, so no request can reach it. */
  state: 'live' | 'tombstoned' | 'purged' | 'lost'
}

export interface World {
  namespaces: Namespace[]
  actors: Actor[]
  /** In ingest order. */
  units: ModelUnit[]
  /** Words that updates have replaced: no response may contain them. */
  overwritten: string[]
  documents: ModelDocument[]
  links: ModelLink[]
  /** Files sent. */
  sent: number
  /** Tokens that no longer work. */
  dead: string[]
  /** Names of deleted namespaces. */
  goneNames: string[]
}

/** The caller and the target of a request. */
export interface Target {
  actor: Actor | null
  namespace?: string | undefined
  scope?: string | undefined
}

const permissions: readonly Permission[] = ['read', 'write', 'admin']
const tierPlanes: Record<TierName, readonly Plane[]> = {
  free: ['text', 'doc_visual'],
  pro: ['text', 'visual', 'audio', 'doc_visual'],
  enterprise: ['text', 'visual', 'audio', 'doc_visual'],
}
export const planesOf = (namespace: Namespace): readonly Plane[] => tierPlanes[namespace.tier]

export const covers = (pattern: string, path: string): boolean =>
  pattern === '*' || pattern === path || path.startsWith(`${pattern}/`)

/** The view of an allowed request; otherwise the error status. */
export function enter(world: World, { actor, namespace: name, scope }: Target): View | 401 | 403 {
  if (!actor) return 401
  const namespace = world.namespaces.find((n) => n.name === (name ?? actor.home))
  if (!namespace) return 403
  const isHome = actor.home === namespace.name
  const grants = actor.grants.filter((grant) => grant.namespace === namespace.name)
  if (!actor.superAdmin && !isHome && grants.length === 0) return 403
  return new View(world, actor, namespace, grants, scope ?? (isHome ? actor.activeScope : '*'))
}

export class View {
  readonly world: World
  readonly actor: Actor
  readonly namespace: Namespace
  readonly grants: readonly Required<TestGrant>[]
  readonly requested: string

  constructor(world: World, actor: Actor, namespace: Namespace, grants: Required<TestGrant>[], requested: string) {
    this.world = world
    this.actor = actor
    this.namespace = namespace
    this.grants = grants
    this.requested = requested
  }

  /** In the home namespace the actor's own groups; elsewhere those of the grants that allow reading there. */
  groupsAt(path: string): string[] {
    const { home, groups, restrictions } = this.actor
    const reading = this.grants.filter(
      (grant) => grant.perms.includes('read') && (path === '*' || covers(grant.scope, path)),
    )
    const counting = home === this.namespace.name ? groups : reading.flatMap((grant) => grant.groups)
    return counting.filter((group) => restrictions.groups?.includes(group) !== false)
  }

  holds(perm: Permission, path: string): boolean {
    const { superAdmin, readOnly, kind } = this.actor
    if (superAdmin) return true
    if (perm !== 'read' && (readOnly || (kind === 'agent' && this.closedToAgents(path)))) return false
    if (!this.isLeftToKey(perm, path)) return false
    return this.grants.some((grant) => grant.perms.includes(perm) && covers(grant.scope, path))
  }

  private isLeftToKey(perm: Permission, path: string): boolean {
    const { perms, scopePrefix } = this.actor.restrictions
    return perms?.includes(perm) !== false && (scopePrefix === undefined || covers(scopePrefix, path))
  }

  private closedToAgents(path: string): boolean {
    return [...this.namespace.scopes].some(([scope, { readOnlyAgents }]) => readOnlyAgents && covers(scope, path))
  }

  /** On the requested scope; with `*` the permission on any scope is enough. */
  passes(perm: Permission): boolean {
    if (this.requested !== '*' || this.actor.superAdmin) return this.holds(perm, this.requested)
    const prefix = this.actor.restrictions.scopePrefix ?? '*'
    // If a grant and a key overlap, the narrower scope remains.
    return this.grants.some(({ perms, scope }) => {
      const left = covers(scope, prefix) ? prefix : scope
      return perms.includes(perm) && this.holds(perm, left)
    })
  }

  get perms(): Permission[] {
    return permissions.filter((perm) => this.passes(perm))
  }

  get visibleScopes(): string[] {
    return [...this.namespace.scopes.keys()].filter((path) => permissions.some((perm) => this.holds(perm, path)))
  }

  /** Below a requested path that is not readable, readable scopes are unreachable; writable scopes are not. */
  reaches(perm: Permission, path: string): boolean {
    if (perm === 'read' && !this.passes('read')) return false
    return this.namespace.scopes.has(path) && covers(this.requested, path) && this.holds(perm, path)
  }

  /** Whether the permission is held on a path, or on any path below it. */
  passesBelow(perm: Permission, path: string): boolean {
    if (this.holds(perm, path)) return true
    const prefix = this.actor.restrictions.scopePrefix ?? '*'
    return this.grants.some(({ perms, scope }) => {
      const left = covers(scope, prefix) ? prefix : scope
      return perms.includes(perm) && covers(path, left) && this.holds(perm, left)
    })
  }

  /** MCP requires read somewhere. */
  get mayConnect(): boolean {
    return this.passesBelow('read', '*')
  }

  /** Tools of MCP that write are offered where an effective scope is writable; without one, where the request is. */
  get isOfferedWrites(): boolean {
    const registered = [...this.namespace.scopes.keys()].filter((path) => this.reaches('read', path))
    return registered.length === 0 ? this.passes('write') : registered.some((path) => this.holds('write', path))
  }

  /** Planes that both the tier and the key allow. */
  get planes(): Plane[] {
    return planesOf(this.namespace).filter((plane) => this.isPlaneLeft(plane))
  }

  private isPlaneLeft(plane: Plane): boolean {
    return this.actor.restrictions.planes?.includes(plane) !== false
  }

  get effectiveScopes(): string[] {
    const { requested, namespace } = this
    const registered = [...namespace.scopes.keys()].filter((path) => this.reaches('read', path))
    const alsoRequested = requested !== '*' && !namespace.scopes.has(requested) && this.holds('read', requested)
    return alsoRequested ? [requested, ...registered] : registered
  }

  mayRead({ owner, groups, scope }: ModelUnit): boolean {
    if (this.actor.superAdmin || owner === this.actor.id) return true
    const own = this.groupsAt(scope)
    return groups.some((group) => group === '*' || own.includes(group))
  }

  /** Live Units in readable scopes and planes, before their ACL, in ingest order. */
  get within(): ModelUnit[] {
    const { world, namespace } = this
    return world.units.filter(
      (unit) =>
        unit.namespace === namespace.name &&
        unit.state === 'live' &&
        this.isPlaneLeft(unit.plane) &&
        this.reaches('read', unit.scope),
    )
  }

  /** Whether the request may delete this Unit; a tombstoned Unit only with a hard delete. */
  mayDelete(unit: ModelUnit, hard: boolean): boolean {
    if (unit.namespace !== this.namespace.name || !this.isPlaneLeft(unit.plane) || !this.mayRead(unit)) return false
    const stands = unit.state === 'live' || (hard && unit.state === 'tombstoned')
    return stands && this.reaches('write', unit.scope) && this.holds('read', unit.scope)
  }
}
