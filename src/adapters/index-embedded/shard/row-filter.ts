import { type Comparison, type Condition, type Filter, type FilterColumn, holds } from '../../../model/filter.ts'
import { modalities, planes } from '../../../model/unit.ts'
import { bytesTest, type KeyRange, type NumberTest, ValueKeys } from './compare-values.ts'
import type { Shard } from './shard.ts'

/** A part of a filter over columns. */
interface RowTest {
  /** About how many values are compared. */
  cost: number
  /** Those of ascending rows that pass, ascending. The rows are overwritten. */
  keep(rows: Uint32Array): Uint32Array
}

/**
 * `matches` of model/filter.ts over columns, one condition after another: those of some rows that meet a filter. The rows are
 * ascending, and overwritten.
 */
export function rowsMeeting(shard: Shard, filter: Filter, rows: Uint32Array): Uint32Array {
  if (filter.length === 0) return rows
  const columns = shard.facets.columns(pathsIn(filter), (rows.at(-1) ?? -1) + 1)
  /** Of what meets a condition, or else of what does not: "not" reaches single comparisons, which need no copy of the rows. */
  const testOf = (condition: Condition, isMet: boolean): RowTest => {
    switch (condition.kind) {
      case 'any':
        return (isMet ? some : every)(condition.of.map((one) => testOfAll(one, isMet)))
      case 'not':
        return testOfAll(condition.of, !isMet)
      case 'overlaps': {
        const [starts, ends] = [shard.rows.timeStart.array, shard.rows.timeEnd.array]
        const { tStartMs, tEndMs } = condition
        // NaN, which stands for "none", is neither.
        const meets = (row: number) => (starts[row] ?? NaN) <= tEndMs && (ends[row] ?? NaN) >= tStartMs
        return { cost: shard.rowCount, keep: (rows) => kept(rows, (row) => meets(row) === isMet) }
      }
      default:
        if (typeof condition.at === 'string') return columnTest(shard, condition, condition.at, isMet)
    }
    const column = columns.get(JSON.stringify(condition.at))
    if (column === undefined) return { cost: 0, keep: (rows) => (isMet ? rows.subarray(0, 0) : rows) }
    const meets = shard.facets.test(condition, column)
    if (condition.kind === 'within' || condition.kind === 'prefix')
      return rangeTest(column.sets, shard.facets.rangeOf(condition, column), meets, isMet)
    const equal = condition.kind === 'equals' ? shard.facets.setsWith(condition.values, column) : null
    if (equal) return equalTest(column.sets, column.setCount, equal, isMet)
    return numberedTest(column.sets, column.setCount, meets, isMet)
  }
  const testOfAll = (conditions: Filter, isMet: boolean): RowTest =>
    (isMet ? every : some)(conditions.map((condition) => testOf(condition, isMet)))
  return testOfAll(filter, true).keep(rows)
}

const costOf = (tests: readonly RowTest[]) => tests.reduce((sum, { cost }) => sum + cost, 0)

/** The cheapest ones come first, since later ones have fewer rows. */
const every = (tests: readonly RowTest[]): RowTest => ({
  cost: costOf(tests),
  keep: (rows) =>
    tests
      .toSorted((a, b) => a.cost - b.cost)
      .reduce((left, test) => (left.length === 0 ? left : test.keep(left)), rows),
})

function some(tests: readonly RowTest[]): RowTest {
  const [first, ...others] = tests
  if (first !== undefined && others.length === 0) return first
  const keep = (rows: Uint32Array) => {
    const met = new Uint8Array((rows.at(-1) ?? 0) + 1)
    const copy = rows.slice()
    let open: Uint32Array = copy
    for (const test of tests) {
      const passing = test.keep(open)
      for (let i = 0; i < passing.length; i++) met[passing[i] ?? 0] = 1
      copy.set(rows)
      open = keptAs(copy, met, 0)
    }
    return keptAs(rows, met, 1)
  }
  return { cost: costOf(tests), keep }
}

/** Moves those that pass to the front: "filter" of a typed array makes a list of them first. */
export function kept<B extends ArrayBufferLike>(rows: Uint32Array<B>, passes: (row: number) => boolean) {
  let count = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] ?? 0
    if (passes(row)) rows[count++] = row
  }
  return rows.subarray(0, count)
}

/** 0 is unknown. */
const [no, yes] = [1, 2]

/** Moves those to the front that are known as this, each by its own number or another one. */
function keptAs(rows: Uint32Array, known: Uint8Array, as: number, numbers?: Numbers): Uint32Array {
  if (as === yes && !known.includes(no)) return rows
  let count = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] ?? 0
    // Without a branch, which would be foreseen wrongly for many rows.
    rows[count] = row
    count += known[numbers === undefined ? row : (numbers[row] ?? 0)] === as ? 1 : 0
  }
  return rows.subarray(0, count)
}

/** Numbers of values, by row. */
type Numbers = Uint8Array | Uint32Array

/** @param meets of a number whose key does not tell */
function rangeTest(
  numbers: Numbers | undefined,
  { keys, low, high }: KeyRange,
  meets: NumberTest,
  isMet: boolean,
): RowTest {
  const keep = (rows: Uint32Array) => {
    if (8 * rows.length < keys.length) return kept(rows, (row) => meets(numbers?.[row] ?? row) === isMet)
    const known = new Uint8Array(keys.length)
    const [inside, outside] = isMet ? [yes, no] : [no, yes]
    for (let number = 0; number < keys.length; number++) {
      const key = keys[number] ?? 0
      if (key > low && key < high) known[number] = inside
      else if (key < low || key > high) known[number] = outside
      else known[number] = meets(number) === isMet ? yes : no
    }
    return keptAs(rows, known, yes, numbers)
  }
  return { cost: 1, keep }
}

/** Only some numbers meet it, which are known. */
function equalTest(numbers: Numbers, size: number, meeting: readonly number[], isMet: boolean): RowTest {
  const [met, unmet] = isMet ? [yes, no] : [no, yes]
  const known = new Uint8Array(size).fill(unmet)
  for (const number of meeting) known[number] = met
  return { cost: 1, keep: (rows) => keptAs(rows, known, yes, numbers) }
}

/** Each number is compared once; where there are many, only those of the rows. */
function numberedTest(numbers: Numbers, size: number, meets: NumberTest, isMet: boolean): RowTest {
  const keep = (rows: Uint32Array) => {
    const known = new Uint8Array(size)
    const find = (number: number) => (known[number] = meets(number) === isMet ? yes : no)
    if (size <= rows.length) for (let number = 0; number < size; number++) find(number)
    else for (let i = 0; i < rows.length; i++) if (!known[numbers[rows[i] ?? 0] ?? 0]) find(numbers[rows[i] ?? 0] ?? 0)
    return keptAs(rows, known, yes, numbers)
  }
  return { cost: size, keep }
}

function pathsIn(filter: Filter): (readonly string[])[] {
  return filter.flatMap((condition) => {
    if (condition.kind === 'any') return condition.of.flatMap(pathsIn)
    if (condition.kind === 'not') return pathsIn(condition.of)
    return 'at' in condition && typeof condition.at !== 'string' ? [condition.at] : []
  })
}

function columnTest(shard: Shard, comparison: Comparison, column: FilterColumn, isMet: boolean): RowTest {
  const { rows, strings } = shard
  const by = (numbers: Numbers, size: number, valueAt: (number: number) => unknown) =>
    numberedTest(numbers, size, (number) => holds(comparison, valueAt(number)), isMet)
  switch (column) {
    case 'createdAt':
    case 'updatedAt': {
      const keys = rows[column].array
      const meets = (row: number) => holds(comparison, keys[row])
      if (comparison.kind === 'within')
        return rangeTest(undefined, { keys, ...new ValueKeys('number').range(comparison) }, meets, isMet)
      return { cost: shard.rowCount, keep: (rows) => kept(rows, (row) => meets(row) === isMet) }
    }
    case 'modality':
      return by(rows.modality.array, modalities.length, (number) => modalities[number])
    case 'plane':
      return by(rows.plane.array, planes.length, (number) => planes[number])
    case 'aclOwner':
      return by(rows.acl.array, shard.acls.size, (number) => shard.acl(number).owner)
    default: {
      const { array } = rows[column]
      const size = strings.size + 1
      if (comparison.kind === 'equals') {
        const equal = comparison.values.map((value) => strings.find(`${value}`) + 1).filter((number) => number > 0)
        return equalTest(array, size, equal, isMet)
      }
      const byBytes = bytesTest(comparison, strings)
      const meets = (number: number) => byBytes?.(number - 1) ?? holds(comparison, strings.text(number - 1))
      return numberedTest(array, size, (number) => number > 0 && meets(number), isMet)
    }
  }
}
