import { type Comparison, type Condition, type Filter, type FilterColumn, holds } from '../../../model/filter.ts'
import { modalities, planes } from '../../../model/unit.ts'
import type { PathComparison } from './facets.ts'
import type { Shard } from './shard.ts'

export type RowTest = (row: number) => boolean

/** `matches` of model/filter.ts over columns. Null for a filter that lets through every row. */
export function rowFilter(shard: Shard, filter: Filter): RowTest | null {
  if (filter.length === 0) return null
  const paths = pathsIn(filter)
  const places = new Map<Condition, number>(paths.map((comparison, i) => [comparison, i]))
  const { met, read } = shard.facets.tester(paths)
  const compile = (conditions: Filter): RowTest => {
    const tests: RowTest[] = []
    /** What the row's metadata must meet, in the bits of `met`. */
    const needed = new Uint32Array(met.length)
    for (const condition of conditions) {
      const place = places.get(condition)
      if (place === undefined) tests.push(testOf(condition))
      else needed[place >>> 5] = (needed[place >>> 5] ?? 0) | (1 << (place & 31))
    }
    return (row) => {
      for (let word = 0; word < needed.length; word++) {
        const bits = needed[word] ?? 0
        if (((met[word] ?? 0) & bits) >>> 0 !== bits) return false
      }
      for (const test of tests) if (!test(row)) return false
      return true
    }
  }
  const testOf = (condition: Condition): RowTest => {
    switch (condition.kind) {
      case 'any': {
        const alternatives = condition.of.map(compile)
        return (row) => alternatives.some((test) => test(row))
      }
      case 'not': {
        const test = compile(condition.of)
        return (row) => !test(row)
      }
      case 'overlaps': {
        const [starts, ends] = [shard.rows.timeStart.array, shard.rows.timeEnd.array]
        // NaN, which stands for "none", is neither.
        return (row) => (starts[row] ?? NaN) <= condition.tEndMs && (ends[row] ?? NaN) >= condition.tStartMs
      }
      default:
        return columnTest(shard, condition, condition.at as FilterColumn)
    }
  }
  const test = compile(filter)
  if (paths.length === 0) return test
  return (row) => {
    read(row)
    return test(row)
  }
}

function pathsIn(filter: Filter): PathComparison[] {
  return filter.flatMap((condition) => {
    if (condition.kind === 'any') return condition.of.flatMap(pathsIn)
    if (condition.kind === 'not') return pathsIn(condition.of)
    return isOfPath(condition) ? [condition] : []
  })
}

const isOfPath = (condition: Condition): condition is PathComparison =>
  'at' in condition && typeof condition.at !== 'string'

function columnTest(shard: Shard, comparison: Comparison, column: FilterColumn): RowTest {
  const { rows, strings } = shard
  switch (column) {
    case 'createdAt':
    case 'updatedAt': {
      const { array } = rows[column]
      return (row) => holds(comparison, array[row])
    }
    case 'modality':
      return byNumber(comparison, rows.modality.array, modalities.length, (number) => modalities[number])
    case 'plane':
      return byNumber(comparison, rows.plane.array, planes.length, (number) => planes[number])
    case 'aclOwner':
      return byNumber(comparison, rows.acl.array, shard.acls.size, (number) => shard.acl(number).owner)
    default: {
      const { array } = rows[column]
      if (comparison.kind === 'equals') {
        const wanted = new Set(comparison.values.map((value) => strings.find(`${value}`) + 1).filter((one) => one > 0))
        return (row) => wanted.has(array[row] ?? 0)
      }
      // 0 stands for "none".
      return byNumber(comparison, array, strings.size + 1, (number) => (number === 0 ? null : strings.text(number - 1)))
    }
  }
}

/** Compares each of the numbered values once. */
function byNumber(
  comparison: Comparison,
  numbers: Uint8Array | Uint32Array,
  size: number,
  valueAt: (number: number) => unknown,
): RowTest {
  const [unknown, fails, passes] = [0, 1, 2]
  const known = new Uint8Array(size)
  return (row) => {
    const number = numbers[row] ?? 0
    if (known[number] === unknown) known[number] = holds(comparison, valueAt(number)) ? passes : fails
    return known[number] === passes
  }
}
