import type { Unit } from '../../../model/unit.ts'
import type { UnitReader } from '../../../ports/catalog/catalog.ts'
import type { Visibility } from '../../../ports/catalog/visibility.ts'
import type { LoadedUnit } from '../sql/units/rows.ts'
import { isClosed, isVisible } from './loaded.ts'

/** The live Units among these, for all readers. Null if the memory cannot answer. */
export type Recall = (visibility: Visibility, unitIds: readonly string[]) => Promise<LoadedUnit[] | null>

/**
 * Reads Units from memory, else from the catalog. Units of all readers are kept, so the per-Unit rule is applied here, to
 * what leaves.
 */
export function createRecalledUnits(
  reader: UnitReader,
  recall: Recall,
): Pick<UnitReader, 'get' | 'hydrate' | 'countHiddenAmong'> {
  const hydrate = async (visibility: Visibility, unitIds: readonly string[]): Promise<Unit[]> => {
    const found = await recall(visibility, unitIds)
    if (found === null) return reader.hydrate(visibility, unitIds)
    const visible = found.filter((one) => isVisible(visibility, one))
    const long = visible.filter(({ unit }) => unit === null).map(({ unitId }) => unitId)
    const read = long.length === 0 ? [] : await reader.hydrate(visibility, long)
    return [...visible.flatMap(({ unit }) => unit ?? []), ...read]
  }

  return {
    get: async (visibility, unitId) => (await hydrate(visibility, [unitId]))[0] ?? null,
    hydrate: async (visibility, unitIds) => (unitIds.length === 0 ? [] : hydrate(visibility, unitIds)),
    countHiddenAmong: async (visibility, unitIds) => {
      if (unitIds.length === 0) return 0
      const found = await recall(visibility, unitIds)
      if (found === null) return reader.countHiddenAmong(visibility, unitIds)
      return found.filter((one) => isClosed(visibility.clauses, one)).length
    },
  }
}
