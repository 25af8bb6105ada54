import type { Facet, FacetField } from '../../../model/doc.ts'
import { metadataPath } from '../../../model/field.ts'
import { compareTexts } from '../../../model/filter.ts'
import { type MetadataValue, modalities, planes } from '../../../model/unit.ts'
import type { FacetsOf } from '../../../ports/indexes/text-index.ts'
import type { Shard } from '../shard/shard.ts'

/** A longer value is counted under `other`, as the catalog counts it. Bytes of its JSON. */
const maxValueBytes = 512

/** Counts the values of fields of the living rows of these Units: ids joined by NUL. A scope stands for itself by its id. */
export function countFacets(
  shard: Shard,
  { fields, limit, among }: Omit<FacetsOf, 'among'> & { among: string },
): Facet[] {
  const unitIds = among === '' ? [] : among.split('\0')
  const rows = Uint32Array.from(unitIds.flatMap((unitId) => livingRow(shard, unitId)))
  return fields.map((field) => {
    const { counts, missing } = countIn(shard, field, rows)
    return { field, ...summed(counts, limit), missing }
  })
}

function livingRow(shard: Shard, unitId: string): number[] {
  const unit = shard.unitIds.find(unitId)
  const row = unit < 0 ? -1 : (shard.rowOf.array[unit] ?? 0) - 1
  return row < 0 ? [] : [row]
}

interface Counts {
  /** By value as JSON. */
  counts: ReadonlyMap<string, number>
  missing: number
}

function countIn(shard: Shard, field: FacetField, rows: Uint32Array): Counts {
  const columns = shard.rows
  const strings = (number: number) => (number === 0 ? null : shard.strings.text(number - 1))
  switch (field) {
    case 'plane':
      return countBy(rows, columns.plane.array, (number) => planes[number] ?? null)
    case 'modality':
      return countBy(rows, columns.modality.array, (number) => modalities[number] ?? null)
    case 'scope':
      return countBy(rows, columns.scope.array, (number) => shard.scopes.text(number))
    case 'docId':
      return countBy(rows, columns.docId.array, strings)
    case 'mime':
      return countBy(rows, columns.mime.array, strings)
    case 'createdAt':
      return countBy(rows, columns.createdAt.array, (time) => time)
    default:
      return shard.facets.count(metadataPath(field) ?? [], rows)
  }
}

function countBy(
  rows: Uint32Array,
  column: ArrayLike<number>,
  valueIn: (number: number) => string | number | null,
): Counts {
  const counted = new Map<number, number>()
  for (const row of rows) counted.set(column[row] ?? 0, (counted.get(column[row] ?? 0) ?? 0) + 1)
  const counts = new Map<string, number>()
  let missing = 0
  for (const [number, count] of counted) {
    const value = valueIn(number)
    if (value === null) missing += count
    else counts.set(JSON.stringify(value), count)
  }
  return { counts, missing }
}

/** The most frequent values; of equal ones the lesser first: booleans, then numbers by size, then texts by code point. */
function summed(counts: ReadonlyMap<string, number>, limit: number): Omit<Facet, 'field' | 'missing'> {
  let [total, min, max] = [0, Infinity, -Infinity]
  const listed: { value: MetadataValue; count: number }[] = []
  for (const [json, count] of counts) {
    const value: MetadataValue = JSON.parse(json)
    total += count
    if (typeof value === 'number') [min, max] = [Math.min(min, value), Math.max(max, value)]
    if (json.length <= maxValueBytes && Buffer.byteLength(json) <= maxValueBytes) listed.push({ value, count })
  }
  const values = listed.sort((a, b) => b.count - a.count || compare(a.value, b.value)).slice(0, limit)
  const other = total - values.reduce((sum, { count }) => sum + count, 0)
  return { values, other, min: min === Infinity ? null : min, max: max === -Infinity ? null : max }
}

function compare(a: MetadataValue, b: MetadataValue): number {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  return typeof a < typeof b ? -1 : typeof a > typeof b ? 1 : Number(a) - Number(b)
}
