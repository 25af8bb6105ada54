import type { Scope } from '../../model/registry.ts'
import type { SearchQuery } from '../../model/search.ts'
import type { Session } from '../../model/session.ts'
import { planes as allPlanes, type Plane, type Unit } from '../../model/unit.ts'
import type { PlaneModel, Visibility } from '../../ports/catalog.ts'
import type { IndexClause, IndexFilter } from '../../ports/indexes/index-filter.ts'
import type { Sought, Synonym } from '../../ports/indexes/text-index.ts'
import type { Picture } from '../../ports/models/media-models.ts'
import { clausesOver } from '../access/visibility.ts'
import type { TextRules } from './query-syntax.ts'
import type { Likeness } from './similar.ts'

/** What a search covers, after all limits were applied. */
export interface Plan {
  query: SearchQuery
  planes: Plane[]
  /** Requested, but closed by tier, key or scope. */
  clampedPlanes: Plane[]
  /** Covers all scopes that are open in some plane. */
  visibility: Visibility
  filter: IndexFilter
  /** Their paths, by id. */
  scopes: ReadonlyMap<string, string>
  /** What the texts of hits must and must not have. */
  rules: TextRules
  /** Of words of the query's text. */
  synonyms: readonly Synonym[]
  /** Whether the Unit's scope is open in the Unit's plane: an index may still have the Unit in another one. */
  opens(unit: Pick<Unit, 'plane' | 'scope'>): boolean
  /** The models of the vectors in the namespace; empty until read from the catalog. */
  models: readonly PlaneModel[]
  /** The query's picture; null until it was read. */
  picture: Picture | null
  /** The Unit that hits should be like; null until it was read. */
  like: Likeness | null
  /** The indexes may find Units that were hidden since, or that do not meet the filter. */
  mayBeWrong: boolean
  /** Only a count is needed. */
  rough: boolean
  /** What comes before the page is needed, too. */
  withBefore?: boolean
  /** Of a count of what is hidden: from whom. */
  closedTo?: IndexFilter['clauses']
}

export function planSearch(session: Session, query: SearchQuery): Plan {
  const wanted = allPlanes.filter((p) => query.planes?.includes(p) !== false)
  const scopes = session.scopesInReach('read')
  const planes = wanted.filter((p) => session.planes.includes(p) && enabledSomewhere(scopes, p))
  const open = new Map(planes.map((p) => [p, scopes.filter((s) => s.planes.includes(p))]))
  const namespaceId = session.namespace.id
  const searched = [...new Set([...open.values()].flat())]
  return {
    query,
    planes,
    clampedPlanes: wanted.filter((p) => !planes.includes(p)),
    visibility: { namespaceId, clauses: clausesOver(session, searched), planes, asOf: session.facts.asOf },
    filter: { namespaceId, clauses: indexClauses(session, open, searched), filters: query.filters },
    scopes: new Map(searched.map(({ id, scope }) => [id, scope])),
    rules: { required: [], excluded: [], preferred: [], name: null, alone: false, isOpen: false },
    synonyms: [],
    opens: ({ plane, scope }) => open.get(plane)?.some((s) => s.scope === scope) === true,
    models: [],
    picture: null,
    like: null,
    mayBeWrong: false,
    rough: false,
  }
}

/** What is looked for in texts: in the index, and in hits to mark them. */
export const soughtIn = ({ query, rules, synonyms }: Plan): Sought => ({
  text: query.q,
  ...(synonyms.length > 0 && { synonyms }),
  phrases: [...rules.required, ...rules.preferred],
  ...(rules.isOpen && { isOpen: true }),
})

type OpenScopes = ReadonlyMap<Plane, readonly Scope[]>

const indexClauses = (session: Session, open: OpenScopes, searched: readonly Scope[]): IndexClause[] =>
  session.clausesOver(searched).map(({ reader, scopes }) => ({ reader, scopeIds: idsByPlane(open, new Set(scopes)) }))

const idsByPlane = (open: OpenScopes, among: ReadonlySet<Scope>): IndexClause['scopeIds'] =>
  new Map([...open].map(([plane, scopes]) => [plane, scopes.filter((s) => among.has(s)).map(({ id }) => id)]))

/** Another query in the same scopes and planes, by a caller without ACL limits, to count its hits. */
export const unlimited = (plan: Plan, query: SearchQuery): Plan => ({
  ...plan,
  query,
  // A count must not depend on them.
  picture: null,
  like: null,
  rules: { ...plan.rules, isOpen: false },
  synonyms: [],
  rough: true,
  closedTo: plan.filter.clauses,
  visibility: {
    ...plan.visibility,
    clauses: [{ reader: 'unlimited', scopeIds: plan.visibility.clauses.flatMap((c) => c.scopeIds) }],
  },
  filter: { ...plan.filter, filters: query.filters, clauses: [{ reader: 'unlimited', scopeIds: idsOfAll(plan) }] },
})

const idsOfAll = ({ planes, filter: { clauses } }: Plan): IndexClause['scopeIds'] =>
  new Map(planes.map((plane) => [plane, clauses.flatMap(({ scopeIds }) => scopeIds.get(plane) ?? [])]))

const enabledSomewhere = (scopes: readonly Scope[], plane: Plane) =>
  scopes.length === 0 || scopes.some((s) => s.planes.includes(plane))
