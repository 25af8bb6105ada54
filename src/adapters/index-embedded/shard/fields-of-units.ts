import type { Facet } from '../../../model/doc.ts'
import { metadataPath, type UnitField } from '../../../model/field.ts'
import { compareTexts, type Scalar } from '../../../model/filter.ts'
import { type MetadataValue, modalities, planes } from '../../../model/unit.ts'
import type { FacetsOf, FieldValues, ValuesOf } from '../../../ports/indexes/text-index.ts'
import type { Facets, PathColumn } from './facets.ts'
import { rowsMeeting } from './row-filter.ts'
import type { Shard } from './shard.ts'

/** A longer value is counted under `other`, as the catalog counts it. Bytes of its JSON. */
const maxValueBytes = 512
/** A longer text is cut, as the catalog cuts it. Characters. */
const maxTextLength = 512

/** Units in a form that is fast to send: ids joined by NUL, and their numbers in a shard, if they are known. */
export interface Sent {
  unitIds: string
  shardId: string
  units: Uint32Array
}

/** Counts the values of fields of the living rows of these Units. A scope stands for itself by its id. */
export function countFacets(shard: Shard, among: Sent, { fields, limit }: Omit<FacetsOf, 'among'>): Facet[] {
  const rows = livingRows(shard, among).filter((row) => row !== noRow)
  return numbersOf(shard, fields, rows).map(({ numbers, size, scalarsOf, singles }, i) => {
    const counted = new Uint32Array(size)
    for (let at = 0; at < numbers.length; at++) counted[numbers[at] ?? 0] = (counted[numbers[at] ?? 0] ?? 0) + 1
    const found = occurring(counted, numbers.length)
    const field = fields[i] ?? ''
    if (singles) {
      const present = found.subarray(found[0] === 0 ? 1 : 0)
      return { field, ...summed(present, (number) => counted[number] ?? 0, limit, singles), missing: counted[0] ?? 0 }
    }
    const counts = new Map<Scalar, number>()
    let missing = 0
    for (const number of found) {
      const count = counted[number] ?? 0
      const scalars = scalarsOf(number)
      if (scalars.length === 0) missing += count
      for (const scalar of scalars) counts.set(scalar, (counts.get(scalar) ?? 0) + count)
    }
    return { field, ...summed([...counts.keys()], (key) => counts.get(key) ?? 0, limit, ofScalars), missing }
  })
}

/** Ascending, so that what is known of them is read in the order in which it is stored. */
function occurring(counted: Uint32Array, rowCount: number): Uint32Array {
  const found = new Uint32Array(Math.min(counted.length, rowCount))
  let distinct = 0
  for (let number = 0; distinct < found.length && number < counted.length; number++) {
    if (counted[number] !== 0) found[distinct++] = number
  }
  return found.subarray(0, distinct)
}

/** The values of fields of these Units, and whether they meet conditions. */
export function readValues(shard: Shard, among: Sent, { fields, conditions }: Omit<ValuesOf, 'among'>): FieldValues[] {
  const rows = livingRows(shard, among)
  const values = numbersOf(shard, fields, rows).map(({ numbers, size, valueIn }): FieldValues => {
    const values: (MetadataValue | null)[] = []
    const [unread, unknown] = [-2, -1]
    const placeOf = new Int32Array(size).fill(unread)
    const places = Int32Array.from(numbers, (number, i) => {
      if (rows[i] === noRow) return unknown
      if (placeOf[number] === unread) {
        const value = valueIn(number)
        placeOf[number] = value === undefined ? unknown : values.push(shortened(value)) - 1
      }
      return placeOf[number] ?? unknown
    })
    return { values, places }
  })
  const ordered = rows.filter((row) => row !== noRow).sort()
  return [...values, ...conditions.map((condition) => meetings(rows, rowsMeeting(shard, condition, ordered.slice())))]
}

/** Of each row, whether it is one of those that meet a condition. */
function meetings(rows: Uint32Array, meeting: Uint32Array): FieldValues {
  const met = new Set(meeting)
  const places = Int32Array.from(rows, (row) => (row === noRow ? -1 : Number(met.has(row))))
  return { values: [false, true], places }
}

const shortened = (value: Scalar | null): Scalar | null =>
  typeof value === 'string' && value.length > maxTextLength ? [...value].slice(0, maxTextLength).join('') : value

const noRow = 2 ** 32 - 1

/** The living row of each Unit; `noRow` for an unknown one. */
function livingRows(shard: Shard, { unitIds, shardId, units }: Sent): Uint32Array {
  // `noRow` is one below 0.
  if (shardId === shard.id) return units.map((unit) => (shard.rowOf.array[unit] ?? 0) - 1)
  const ids = unitIds === '' ? [] : unitIds.split('\0')
  return Uint32Array.from(ids, (unitId) => (shard.rowOf.array[shard.unitIds.find(unitId)] ?? 0) - 1)
}

/** A field of rows, by numbers of distinct values. */
interface Numbered {
  /** By place among the rows; of no meaning where there is no row. */
  numbers: Uint32Array
  size: number
  scalarsOf(number: number): readonly Scalar[]
  /** Undefined where it is not known. */
  valueIn(number: number): Scalar | null | undefined
  /** Where 0 stands for an absent value, and each other number for another one, so that few values are read. */
  singles?: Values<number>
}

/** What values are that keys stand for. */
interface Values<Key> {
  scalarOf(key: Key): Scalar
  /** NaN for other values than numbers; null where there are no numbers. */
  numberOf: ((key: Key) => number) | null
  /** Negative where the first one comes first. */
  compare(a: Key, b: Key): number
}

const ofScalars: Values<Scalar> = {
  scalarOf: (value) => value,
  numberOf: (value) => (typeof value === 'number' ? value : Number.NaN),
  compare,
}

function numbersOf(shard: Shard, fields: readonly UnitField[], rows: Uint32Array): Numbered[] {
  const paths = fields.flatMap((field) => [metadataPath(field) ?? []].filter((path) => path.length > 0))
  const columns = shard.facets.columns(paths, shard.rowCount)
  const { strings } = shard
  const of = (numbers: ArrayLike<number>, size: number, valueAt: (number: number) => Scalar | null): Numbered => ({
    numbers: at(numbers, rows),
    size,
    scalarsOf: (number) => [valueAt(number)].filter((value) => value !== null),
    valueIn: valueAt,
  })
  const stringAt = (number: number) => strings.text(number - 1)
  const ofStrings = (numbers: ArrayLike<number>): Numbered => ({
    ...of(numbers, strings.size + 1, (number) => (number === 0 ? null : stringAt(number))),
    singles: { scalarOf: stringAt, numberOf: null, compare: (a, b) => strings.compare(a - 1, b - 1) },
  })
  const ofTimes = (times: Float64Array): Numbered => {
    const [numberOf, distinct]: [Map<number, number>, number[]] = [new Map(), []]
    const numbers = rows.map((row) => {
      const time = times[row] ?? 0
      const known = numberOf.get(time)
      if (known !== undefined) return known
      numberOf.set(time, distinct.length)
      return distinct.push(time) - 1
    })
    return { ...of([], distinct.length, (number) => distinct[number] ?? null), numbers }
  }
  return fields.map((field): Numbered => {
    switch (field) {
      case 'plane':
        return of(shard.rows.plane.array, planes.length, (number) => planes[number] ?? null)
      case 'modality':
        return of(shard.rows.modality.array, modalities.length, (number) => modalities[number] ?? null)
      case 'scope':
        return of(shard.rows.scope.array, shard.scopes.size, (number) => shard.scopes.text(number))
      case 'docId':
      case 'mime':
        return ofStrings(shard.rows[field].array)
      case 'createdAt':
      case 'updatedAt':
        return ofTimes(shard.rows[field].array)
      default: {
        const column = columns.get(JSON.stringify(metadataPath(field)))
        if (column === undefined) return of([], 1, () => null)
        return {
          numbers: at(column.sets, rows),
          size: column.setCount,
          scalarsOf: (set) => shard.facets.scalarsOf(set, column),
          valueIn: (set) => shard.facets.valueOf(set, column),
          ...(shard.facets.holdsSingles(column) && { singles: singlesOf(shard.facets, column) }),
        }
      }
    }
  })
}

function at(numbers: ArrayLike<number>, rows: Uint32Array): Uint32Array {
  const found = new Uint32Array(rows.length)
  for (let i = 0; i < rows.length; i++) found[i] = numbers[rows[i] ?? 0] ?? 0
  return found
}

function singlesOf(facets: Facets, column: PathColumn): Values<number> {
  const scalarOf = (set: number) => facets.valueOf(set, column) ?? ''
  const keys = facets.keysOf(column, 'string')
  return {
    scalarOf,
    numberOf: column.hasNumbers ? (set) => facets.numberIn(set, column) : null,
    compare: (a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || compare(scalarOf(a), scalarOf(b)),
  }
}

interface Counted<Key> {
  key: Key
  count: number
}

/**
 * The most frequent values; of equal ones the lesser first: booleans, then numbers by size, then texts by code point. There may be a
 * value for each Unit, and few are listed.
 */
function summed<Key>(
  keys: ArrayLike<Key>,
  countOf: (key: Key) => number,
  limit: number,
  { scalarOf, numberOf, compare }: Values<Key>,
): Omit<Facet, 'field' | 'missing'> {
  let [total, min, max] = [0, Infinity, -Infinity]
  const best: Counted<Key>[] = []
  const comesBefore = (a: Counted<Key>, key: Key, count: number) =>
    a.count === count ? compare(a.key, key) < 0 : a.count > count
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as Key
    const count = countOf(key)
    total += count
    const number = numberOf?.(key) ?? Number.NaN
    if (number < min) min = number
    if (number > max) max = number
    const last = best[limit - 1]
    if ((last !== undefined && comesBefore(last, key, count)) || isLong(scalarOf(key))) continue
    let place = best.length
    for (let one = best[place - 1]; one !== undefined && !comesBefore(one, key, count); one = best[place - 1]) place--
    best.splice(place, 0, { key, count })
    if (best.length > limit) best.pop()
  }
  const other = total - best.reduce((sum, { count }) => sum + count, 0)
  return {
    values: best.map(({ key, count }) => ({ value: scalarOf(key), count })),
    ...{ other, min: min === Infinity ? null : min, max: max === -Infinity ? null : max },
  }
}

/** JSON writes at most six bytes for a UTF-16 unit. */
const isLong = (value: Scalar): boolean =>
  typeof value === 'string' &&
  6 * value.length + 2 > maxValueBytes &&
  Buffer.byteLength(JSON.stringify(value)) > maxValueBytes

function compare(a: Scalar, b: Scalar): number {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  return typeof a < typeof b ? -1 : typeof a > typeof b ? 1 : Number(a) - Number(b)
}
