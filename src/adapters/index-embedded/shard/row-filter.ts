import type { SearchFilters } from '../../../model/search.ts'
import { modalities } from '../../../model/unit.ts'
import type { Column } from '../memory/column.ts'
import type { Shard } from './shard.ts'

type RowTest = (row: number) => boolean

/** `matches` of model/search.ts over columns, except for owners, which go with ACLs. Null without filters. */
export function rowFilter(shard: Shard, filters: SearchFilters): RowTest | null {
  const { rows } = shard
  const tests = [
    oneOf(rows.docId, strings(shard, filters.docId)),
    oneOf(rows.externalId, strings(shard, filters.externalId)),
    oneOf(rows.sourceUri, strings(shard, filters.sourceUri)),
    oneOf(rows.mime, strings(shard, filters.mime)),
    oneOf(
      rows.modality,
      filters.modality?.map((modality) => modalities.indexOf(modality)),
    ),
    within(rows.createdAt, filters.createdAfter, filters.createdBefore),
    within(rows.timeStart, undefined, filters.timeRange?.tEndMs),
    within(rows.timeEnd, filters.timeRange?.tStartMs, undefined),
    ...Object.entries(filters.metadata ?? {}).map(([key, condition]) => shard.facets.test(key, condition)),
  ].filter((test) => test !== null)
  if (tests.length === 0) return null
  return (row) => tests.every((test) => test(row))
}

/** The column numbers of those values that any row has. */
function strings(shard: Shard, values: readonly string[] | undefined): number[] | undefined {
  return values?.map((value) => shard.strings.find(value) + 1).filter((number) => number > 0)
}

function oneOf(column: Column<'u8' | 'u32'>, allowed: readonly number[] | undefined): RowTest | null {
  if (allowed === undefined) return null
  const values = new Set(allowed)
  const { array } = column
  return (row) => values.has(array[row] ?? 0)
}

/** NaN, which stands for "none", is never within a range. */
function within(column: Column<'f64'>, min: number | undefined, max: number | undefined): RowTest | null {
  if (min === undefined && max === undefined) return null
  const { array } = column
  return (row) => {
    const value = array[row] ?? Number.NaN
    return value >= (min ?? -Infinity) && value <= (max ?? Infinity)
  }
}
