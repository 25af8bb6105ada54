import { type Comparison, type Condition, type Filter, type FilterColumn, holds } from '../../../model/filter.ts'
import { modalities, planes } from '../../../model/unit.ts'
import { bytesTest, type NumberTest, type PathColumn } from './facets.ts'
import type { Shard } from './shard.ts'

/**
 * `matches` of model/filter.ts over columns, one condition after another: those of some rows that meet a filter. The rows are
 * ascending, and overwritten.
 */
export function rowsMeeting(shard: Shard, filter: Filter, rows: Uint32Array): Uint32Array {
  if (filter.length === 0) return rows
  const columns = shard.facets.columns(pathsIn(filter), (rows.at(-1) ?? -1) + 1)
  /** About how many values are compared; the fewest come first, since later conditions have fewer rows. */
  const costOf = (condition: Condition): number => {
    if (condition.kind === 'any') return condition.of.flat().reduce((sum, one) => sum + costOf(one), rows.length)
    if (condition.kind === 'not') return condition.of.reduce((sum, one) => sum + costOf(one), rows.length)
    if (condition.kind === 'overlaps') return rows.length
    if (typeof condition.at !== 'string') return columns.get(JSON.stringify(condition.at))?.setCount ?? 0
    return condition.kind === 'equals' ? 1 : shard.strings.size
  }
  const meeting = (conditions: Filter, among: Uint32Array): Uint32Array => {
    const costs = new Map(conditions.map((condition) => [condition, costOf(condition)]))
    return conditions
      .toSorted((a, b) => (costs.get(a) ?? 0) - (costs.get(b) ?? 0))
      .reduce((left, condition) => (left.length === 0 ? left : meetingOne(condition, left)), among)
  }
  const meetingOne = (condition: Condition, among: Uint32Array): Uint32Array => {
    switch (condition.kind) {
      case 'any': {
        const [first = [], ...others] = condition.of
        if (others.length === 0) return meeting(first, among)
        const met = new Uint8Array((among.at(-1) ?? 0) + 1)
        for (const filter of condition.of) {
          const open = filter === first ? among.slice() : kept(among.slice(), (row) => met[row] === 0)
          for (const row of meeting(filter, open)) met[row] = 1
        }
        return kept(among, (row) => met[row] === 1)
      }
      case 'not': {
        const met = meeting(condition.of, among.slice())
        let next = 0
        // Both are ascending.
        return kept(among, (row) => {
          if (met[next] !== row) return true
          next += 1
          return false
        })
      }
      case 'overlaps': {
        const [starts, ends] = [shard.rows.timeStart.array, shard.rows.timeEnd.array]
        // NaN, which stands for "none", is neither.
        return kept(
          among,
          (row) => (starts[row] ?? NaN) <= condition.tEndMs && (ends[row] ?? NaN) >= condition.tStartMs,
        )
      }
      default:
        return typeof condition.at === 'string'
          ? meetingInColumn(shard, condition, condition.at, among)
          : meetingAt(shard, condition, columns.get(JSON.stringify(condition.at)), among)
    }
  }
  return meeting(filter, rows)
}

/** Moves those that pass to the front. */
function kept(rows: Uint32Array, passes: (row: number) => boolean): Uint32Array {
  let count = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] ?? 0
    if (passes(row)) rows[count++] = row
  }
  return rows.subarray(0, count)
}

/** The same by a number that each row has. Each number is compared once. */
function keptBy(rows: Uint32Array, numbers: Uint8Array | Uint32Array, size: number, passes: NumberTest): Uint32Array {
  const [unknown, no, yes] = [0, 1, 2]
  const known = new Uint8Array(size)
  let count = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] ?? 0
    const number = numbers[row] ?? 0
    if (known[number] === unknown) known[number] = passes(number) ? yes : no
    if (known[number] === yes) rows[count++] = row
  }
  return rows.subarray(0, count)
}

function pathsIn(filter: Filter): (readonly string[])[] {
  return filter.flatMap((condition) => {
    if (condition.kind === 'any') return condition.of.flatMap(pathsIn)
    if (condition.kind === 'not') return pathsIn(condition.of)
    return 'at' in condition && typeof condition.at !== 'string' ? [condition.at] : []
  })
}

function meetingAt(
  { facets }: Shard,
  comparison: Comparison,
  column: PathColumn | undefined,
  rows: Uint32Array,
): Uint32Array {
  if (column === undefined) return rows.subarray(0, 0)
  const meets = facets.test(comparison, column)
  return keptBy(rows, column.sets, column.setCount, (set) => set > 0 && meets(set))
}

function meetingInColumn(shard: Shard, comparison: Comparison, column: FilterColumn, rows: Uint32Array): Uint32Array {
  const { strings } = shard
  const by = (numbers: Uint8Array | Uint32Array, size: number, valueAt: (number: number) => unknown) =>
    keptBy(rows, numbers, size, (number) => holds(comparison, valueAt(number)))
  switch (column) {
    case 'createdAt':
    case 'updatedAt': {
      const { array } = shard.rows[column]
      return kept(rows, (row) => holds(comparison, array[row]))
    }
    case 'modality':
      return by(shard.rows.modality.array, modalities.length, (number) => modalities[number])
    case 'plane':
      return by(shard.rows.plane.array, planes.length, (number) => planes[number])
    case 'aclOwner':
      return by(shard.rows.acl.array, shard.acls.size, (number) => shard.acl(number).owner)
    default: {
      const { array } = shard.rows[column]
      if (comparison.kind === 'equals') {
        const wanted = new Set(comparison.values.map((value) => strings.find(`${value}`) + 1).filter((one) => one > 0))
        return kept(rows, (row) => wanted.has(array[row] ?? 0))
      }
      const byBytes = bytesTest(comparison, strings)
      // 0 stands for "none".
      const meets = (number: number) =>
        number > 0 && (byBytes?.(number - 1) ?? holds(comparison, strings.text(number - 1)))
      return keptBy(rows, array, strings.size + 1, meets)
    }
  }
}
