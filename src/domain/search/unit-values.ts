import type { MetadataValue } from '../../model/unit.ts'
import type { AskedValues, UnitReader, UnitValues } from '../../ports/catalog.ts'
import type { RankingDeps } from './candidates.ts'
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

/**
 * Values of fields of those Units that the catalog shows, each in the order of the fields, then whether it meets each condition: from
 * the index where it holds what the catalog does, because that takes milliseconds. What it cannot tell is read from the catalog.
 */
export async function fieldValues(
  { catalog, texts }: Pick<RankingDeps, 'catalog' | 'texts'>,
  plan: Plan,
  unitIds: readonly string[],
  asked: AskedValues,
  isCurrent: boolean,
): Promise<ReadonlyMap<string, readonly Value[]>> {
  const found = new Map<string, readonly Value[]>()
  const { namespaceId } = plan.visibility
  const isAsked = asked.fields.length + asked.conditions.length > 0
  const columns = (isCurrent && isAsked && (await texts.values?.(namespaceId, { ...asked, among: unitIds }))) || []
  for (const [i, unitId] of unitIds.entries()) {
    if (columns.length > 0 && columns.every(({ places }) => (places[i] ?? -1) >= 0))
      found.set(
        unitId,
        columns.map(({ values, places }) => values[places[i] ?? 0] ?? null),
      )
  }
  const rest = unitIds.filter((unitId) => !found.has(unitId))
  const read = await valuesOf(catalog.units, plan, rest, asked)
  for (const [unitId, { values, holds }] of read) found.set(unitId, [...values, ...holds])
  return found
}
