import type { MetadataValue } from '../../model/unit.ts'
import type { AskedValues, UnitReader, UnitValues } from '../../ports/catalog.ts'
import type { Plan } from './plan.ts'

export const nothing: AskedValues = { fields: [], conditions: [] }

/** Units of one statement, so that none holds up others for long. */
const perStatement = 1_000

/** Values of those Units that the catalog shows. */
export async function valuesOf(
  units: UnitReader,
  { visibility, query, opens }: Plan,
  of: readonly string[],
  asked: AskedValues,
): Promise<ReadonlyMap<string, UnitValues>> {
  const values = new Map<string, UnitValues>()
  for (let start = 0; start < of.length; start += perStatement) {
    const unitIds = of.slice(start, start + perStatement)
    for (const one of await units.values(visibility, query.filters, unitIds, asked)) {
      if (opens(one)) values.set(one.unitId, one)
    }
  }
  return values
}

export type Value = MetadataValue | null
