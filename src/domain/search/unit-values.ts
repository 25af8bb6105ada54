import type { MetadataValue } from '../../model/unit.ts'
import type { AskedValues, UnitReader, UnitValues } from '../../ports/catalog.ts'
import type { Located } from '../../ports/indexes/index-filter.ts'
import type { RankingDeps } from './legs.ts'
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
 * By Unit, values of fields in their order, then whether it meets each condition; undefined for one that the catalog does not show. From
 * the index where it holds what the catalog does, because that takes milliseconds. What it cannot tell is read from the catalog.
 */
export async function fieldValues(
  { catalog, texts }: Pick<RankingDeps, 'catalog' | 'texts'>,
  plan: Plan,
  among: readonly Located[],
  asked: AskedValues,
  isCurrent: boolean,
): Promise<(readonly Value[] | undefined)[]> {
  const { namespaceId } = plan.visibility
  const isAsked = asked.fields.length + asked.conditions.length > 0
  const columns = (isCurrent && isAsked && (await texts.values?.(namespaceId, { ...asked, among }))) || []
  const found = among.map((_, i) => {
    if (columns.length === 0 || columns.some(({ places }) => (places[i] ?? -1) < 0)) return undefined
    return columns.map(({ values, places }) => values[places[i] ?? 0] ?? null)
  })
  const rest = among.flatMap(({ unitId }, i) => (found[i] ? [] : [unitId]))
  const read = await valuesOf(catalog.units, plan, rest, asked)
  return among.map(({ unitId }, i) => {
    const { values, holds } = read.get(unitId) ?? {}
    return found[i] ?? (values && holds && [...values, ...holds])
  })
}
