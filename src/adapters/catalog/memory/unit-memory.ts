import type { SearchFacts, UnitReader } from '../../../ports/catalog/catalog.ts'
import type { UnitLoader } from '../sql/units/read-units.ts'
import type { LoadedUnit } from '../sql/units/rows.ts'
import type { Commits } from './commits.ts'
import type { Held } from './held.ts'
import { sizeOf } from './loaded.ts'
import { createRecalledUnits, type Recall } from './recalled-units.ts'

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

/**
 * Answers what a search reads from memory, as of the last commit. Units of all readers are kept, so the per-Unit
 * rule is applied to what leaves.
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
  const recall: Recall = async ({ namespaceId }, unitIds) => {
    await commits.settled
    const current = await catchUp(namespaceId)
    if (current === null) return null
    const { space, units } = current
    const known = unitIds.map((unitId) => held.get(unitKey(space, unitId)) as LoadedUnit | undefined)
    const missing = unitIds.filter((_, i) => !known[i])
    if (missing.length === 0) return known.filter((one) => one !== undefined)
    const loaded = await reader.load(namespaceId, missing)
    if (!isCurrent(space, namespaceId, units)) return null
    for (const one of loaded.units) held.set(unitKey(space, one.unitId), one, sizeOf(one))
    return [...known.filter((one) => one !== undefined), ...loaded.units]
  }

  return {
    ...createRecalledUnits(reader, recall),
    getOwn: (visibility, writer, externalId) => reader.getOwn(visibility, writer, externalId),
    list: (visibility, filters, offset, limit) => reader.list(visibility, filters, offset, limit),
    countHidden: (visibility) => reader.countHidden(visibility),

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
      held.set(key(), facts, factsBytes)
      return facts
    },
  }
}

/** About what they take. */
const factsBytes = 900
