import { mayRead, type ReadClause } from '../../../model/acl.ts'
import type { Unit } from '../../../model/unit.ts'
import type { SearchFacts, UnitReader } from '../../../ports/catalog/catalog.ts'
import type { Visibility } from '../../../ports/catalog/visibility.ts'
import type { LoadedUnit, UnitLoader } from '../sql/units/read-units.ts'
import type { Commits } from './commits.ts'
import type { Held } from './held.ts'

/** What is known of a namespace. */
interface Space {
  /** Units are kept under it: another one makes all of them unknown. */
  epoch: number
  scopes: number
  /** The version of the Units that `facts` belong to, and up to which changed Units were forgotten. */
  units: number
  /** Each Unit that is kept is of this seq or a later one. Null: none is kept. */
  seq: number | null
}

/** About what a Unit takes besides its text. Bytes. */
const unitBytes = 900

/**
 * Answers what a search reads from memory, as of the last commit. Units of all readers are kept, so the per-Unit
 * rule is applied here to what leaves: to the same Units as the SQL of `units/visibility.ts`.
 */
export function createUnitMemory(reader: UnitReader & UnitLoader, commits: Commits, held: Held): UnitReader {
  const spaces = new Map<string, Space>()
  let epochs = 0

  const spaceOf = (namespaceId: string): Space => {
    const scopes = commits.scopesOf(namespaceId)
    const known = spaces.get(namespaceId)
    if (known && known.scopes === scopes) return known
    const space = { epoch: ++epochs, scopes, units: -1, seq: null }
    spaces.set(namespaceId, space)
    return space
  }

  const unitKey = ({ epoch }: Space, unitId: string) => `unit ${epoch} ${unitId}`
  const isCurrent = (space: Space, namespaceId: string, units: number) =>
    commits.unitsOf(namespaceId) === units && commits.scopesOf(namespaceId) === space.scopes

  /** Forgets the Units that have changed since. Null: too many to name. */
  const forget = (space: Space, units: number, seq: number, changed: readonly string[] | null) => {
    if (changed === null) space.epoch = ++epochs
    else for (const unitId of changed) held.delete(unitKey(space, unitId))
    Object.assign(space, { units, seq })
  }

  const catchUp = async (namespaceId: string) => {
    const space = spaceOf(namespaceId)
    const units = commits.unitsOf(namespaceId)
    if (space.units === units) return { space, units }
    const { seq, changed } = await reader.changedSince(namespaceId, space.seq)
    if (!isCurrent(space, namespaceId, units)) return null
    forget(space, units, seq, changed)
    return { space, units }
  }

  /** The live Units among these, for all readers. Null if they change meanwhile. */
  const recall = async (namespaceId: string, unitIds: readonly string[]): Promise<LoadedUnit[] | null> => {
    await commits.settled
    const current = await catchUp(namespaceId)
    if (current === null) return null
    const { space, units } = current
    const known = unitIds.map((unitId) => held.get(unitKey(space, unitId)) as LoadedUnit | undefined)
    const missing = unitIds.filter((_, i) => !known[i])
    if (missing.length === 0) return known.filter((one) => one !== undefined)
    const loaded = await reader.load(namespaceId, missing)
    if (!isCurrent(space, namespaceId, units)) return null
    for (const one of loaded) held.set(unitKey(space, one.unitId), one, unitBytes + lettersBytes(one.unit))
    return [...known.filter((one) => one !== undefined), ...loaded]
  }

  const hydrate = async (visibility: Visibility, unitIds: readonly string[]): Promise<Unit[]> => {
    const found = await recall(visibility.namespaceId, unitIds)
    if (found === null) return reader.hydrate(visibility, unitIds)
    const visible = found.filter((one) => isVisible(visibility, one))
    const long = visible.filter(({ unit }) => unit === null).map(({ unitId }) => unitId)
    const read = long.length === 0 ? [] : await reader.hydrate(visibility, long)
    return [...visible.flatMap(({ unit }) => unit ?? []), ...read]
  }

  return {
    get: async (visibility, unitId) => (await hydrate(visibility, [unitId]))[0] ?? null,
    getOwn: (visibility, writer, externalId) => reader.getOwn(visibility, writer, externalId),
    list: (visibility, offset, limit) => reader.list(visibility, offset, limit),
    hydrate: async (visibility, unitIds) => (unitIds.length === 0 ? [] : hydrate(visibility, unitIds)),
    countHidden: (visibility) => reader.countHidden(visibility),

    countHiddenAmong: async (visibility, unitIds) => {
      if (unitIds.length === 0) return 0
      const found = await recall(visibility.namespaceId, unitIds)
      if (found === null) return reader.countHiddenAmong(visibility, unitIds)
      return found.filter((one) => isClosed(visibility.clauses, one)).length
    },

    searchFacts: async (visibility) => {
      await commits.settled
      const { namespaceId, clauses, planes } = visibility
      const space = spaceOf(namespaceId)
      const units = commits.unitsOf(namespaceId)
      const key = () => `facts ${space.epoch} ${units} ${JSON.stringify([clauses, planes])}`
      const known = space.units === units ? (held.get(key()) as SearchFacts | undefined) : undefined
      if (known) return known
      const { changed, ...facts } = await reader.factsSince(visibility, space.seq)
      if (!isCurrent(space, namespaceId, units)) return facts
      forget(space, units, facts.seq, changed)
      held.set(key(), facts, unitBytes)
      return facts
    },
  }
}

const lettersBytes = (unit: Unit | null) => 2 * ((unit?.text?.length ?? 0) + (unit?.title?.length ?? 0))

const clauseOf = (clauses: readonly ReadClause[], { scopeId }: LoadedUnit) =>
  clauses.find(({ scopeIds }) => scopeIds.includes(scopeId))

function isVisible({ clauses, planes }: Visibility, loaded: LoadedUnit): boolean {
  const clause = clauseOf(clauses, loaded)
  return clause !== undefined && planes.includes(loaded.plane) && mayRead(clause.reader, loaded.acl)
}

/** Its scope is in the clauses, but they do not allow reading it. */
function isClosed(clauses: readonly ReadClause[], loaded: LoadedUnit): boolean {
  const clause = clauseOf(clauses, loaded)
  return clause !== undefined && !mayRead(clause.reader, loaded.acl)
}
