import type { Reader } from '../../model/acl.ts'
import type { Scope } from '../../model/registry.ts'
import type { SearchQuery } from '../../model/search.ts'
import type { Session } from '../../model/session.ts'
import { planes as allPlanes, type Plane } from '../../model/unit.ts'
import type { IndexFilter } from '../../ports/index-filter.ts'

/** What a search will look at, after every clamp. */
export interface Plan {
  query: SearchQuery
  planes: Plane[]
  /** Asked for, but closed by tier, key or scope. */
  clampedPlanes: Plane[]
  /** All scopes that are open in some plane. */
  scopeIds: string[]
  filter: IndexFilter
}

export function plan(session: Session, query: SearchQuery): Plan {
  const wanted = allPlanes.filter((p) => query.planes?.includes(p) !== false)
  const scopes = session.scopesInReach('read')
  const planes = wanted.filter((p) => session.planes.includes(p) && enabledSomewhere(scopes, p))
  const scopeIds = new Map(planes.map((p) => [p, scopes.filter((s) => s.planes.includes(p)).map((s) => s.id)]))
  return {
    query,
    planes,
    clampedPlanes: wanted.filter((p) => !planes.includes(p)),
    scopeIds: [...new Set([...scopeIds.values()].flat())],
    filter: { namespaceId: session.namespace.id, scopeIds, reader: session.reader, filters: query.filters },
  }
}

/** The same search through other eyes. */
export const seenBy = (plan: Plan, reader: Reader): Plan => ({ ...plan, filter: { ...plan.filter, reader } })

const enabledSomewhere = (scopes: readonly Scope[], plane: Plane) =>
  scopes.length === 0 || scopes.some((s) => s.planes.includes(plane))
