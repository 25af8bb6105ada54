import type { UnitReader } from '../../../ports/catalog/catalog.ts'
import type { Visibility } from '../../../ports/catalog/visibility.ts'
import { isClosed } from '../memory/loaded.ts'
import { createRecalledUnits, type Recall } from '../memory/recalled-units.ts'
import type { UnitLoader } from '../sql/units/read-units.ts'
import type { OwnWrites } from './own-writes.ts'
import type { ProvenMoment, Spaces } from './spaces.ts'

/** Requests that take longer read what is true by then. */
const maxAgeMs = 1000

/**
 * Answers what a search reads from memory, as of the moment at which the request entered the namespace or later. Units
 * of all readers are kept, so the per-Unit rule is applied to what leaves.
 */
export function createProvenUnits(reader: UnitReader & UnitLoader, spaces: Spaces, writes: OwnWrites): UnitReader {
  const momentOf = ({ namespaceId, asOf }: Visibility): ProvenMoment | null => {
    const moment = asOf as ProvenMoment | undefined
    if (moment?.namespaceId !== namespaceId || performance.now() - moment.at > maxAgeMs) return null
    return writes.since(namespaceId, moment.writes) ? null : moment
  }

  /** The live Units among these, for all readers. Null if the memory is not of the request's moment. */
  const recall: Recall = async (visibility, unitIds) => {
    const moment = momentOf(visibility)
    const space = moment && spaces.of(moment.namespaceId)
    if (!space || space.seq < moment.seq) return null
    const known = unitIds.flatMap((unitId) => spaces.unit(space, unitId) ?? [])
    if (known.length === unitIds.length) return known
    const found = new Set(known.map(({ unitId }) => unitId))
    const { seq, units } = await reader.load(
      moment.namespaceId,
      unitIds.filter((unitId) => !found.has(unitId)),
    )
    spaces.keep(space, seq, units)
    return [...known, ...units]
  }

  return {
    ...reader,
    ...createRecalledUnits(reader, recall),

    searchFacts: async (visibility) => {
      const moment = momentOf(visibility)
      if (!moment) return reader.searchFacts(visibility)
      const { seq, models, counts } = moment
      if (counts === null) return { seq, hidden: await reader.countHidden(visibility), models }
      const closed = counts.filter(
        (count) => visibility.planes.includes(count.plane) && isClosed(visibility.clauses, count),
      )
      return { seq, hidden: closed.reduce((sum, { units }) => sum + units, 0), models }
    },
  }
}
