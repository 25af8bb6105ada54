import type { Scope } from '../../model/registry.ts'
import type { SearchQuery } from '../../model/search.ts'
import type { Session } from '../../model/session.ts'
import { planes as allPlanes, type Plane, type Unit } from '../../model/unit.ts'
import type { PlaneModel, Visibility } from '../../ports/catalog.ts'
import type { IndexFilter } from '../../ports/index-filter.ts'

/** What a search will look at, after every clamp. */
export interface Plan {
  query: SearchQuery
  planes: Plane[]
  /** Asked for, but closed by tier, key or scope. */
  clampedPlanes: Plane[]
  /** Over all scopes that are open in some plane. */
  visibility: Visibility
  filter: IndexFilter
  /** Whether the Unit's scope is open in the Unit's plane: an index may still hold the Unit in another one. */
  opens(unit: Unit): boolean
  /** The models whose vectors the namespace holds; none before the catalog was asked. */
  models: readonly PlaneModel[]
  /** Only a count is wanted. */
  rough: boolean
}

export function plan(session: Session, query: SearchQuery): Plan {
  const wanted = allPlanes.filter((p) => query.planes?.includes(p) !== false)
  const scopes = session.scopesInReach('read')
  const planes = wanted.filter((p) => session.planes.includes(p) && enabledSomewhere(scopes, p))
  const open = new Map(planes.map((p) => [p, scopes.filter((s) => s.planes.includes(p))]))
  const scopeIds = new Map([...open].map(([p, scopes]) => [p, scopes.map((s) => s.id)]))
  const [namespaceId, { reader }] = [session.namespace.id, session]
  return {
    query,
    planes,
    clampedPlanes: wanted.filter((p) => !planes.includes(p)),
    visibility: { namespaceId, scopeIds: [...new Set([...scopeIds.values()].flat())], planes, reader },
    filter: { namespaceId, scopeIds, reader, filters: query.filters },
    opens: ({ plane, scope }) => open.get(plane)?.some((s) => s.scope === scope) === true,
    models: [],
    rough: false,
  }
}

/** The same search through the eyes of a caller without ACL limits, to count what it finds. */
export const unlimited = (plan: Plan): Plan => ({
  ...plan,
  rough: true,
  filter: { ...plan.filter, reader: 'unlimited' },
})

const enabledSomewhere = (scopes: readonly Scope[], plane: Plane) =>
  scopes.length === 0 || scopes.some((s) => s.planes.includes(plane))
