import { LRUCache } from 'lru-cache'
import { type Comparison, holds, type Scalar } from '../../../model/filter.ts'
import type { Metadata, MetadataValue } from '../../../model/unit.ts'
import { Dictionary } from '../memory/dictionary.ts'
import { type Column, type Store, startOf } from '../memory/store.ts'
import { bytesTest, type KeyRange, type NumberTest, type Ordering, ValueKeys } from './compare-values.ts'

/** What a facet says of its path. An element of a list is another facet than the same value alone. */
const tag = { alone: '=', element: '[', present: '?' } as const

/** What there is to compare at the paths of a row: distinct facets, each a path and a scalar there, or that something is there. */
export class Facets {
  readonly #paths: Dictionary
  /** The path as JSON, a tag, and the scalar as JSON. */
  readonly #facets: Dictionary
  /** By facet: its path, and its value if that is a number, otherwise NaN. */
  readonly #pathOf: Column<'u32'>
  readonly #numberOf: Column<'f64'>
  /** All rows' facets in order; `#ends` gives the end of each row. */
  readonly #entries: Column<'u32'>
  readonly #ends: Column<'u32'>
  /** By path. */
  readonly #kept: LRUCache<number, PathColumn>

  /** @param older what this thread saw before of the same rows */
  constructor(store: Store, older?: Facets) {
    this.#kept = older ? older.#kept : new LRUCache({ max: maxColumns })
    this.#paths = new Dictionary(store, 'facets.paths')
    this.#facets = new Dictionary(store, 'facets')
    this.#pathOf = store.column('facets.path', 'u32')
    this.#numberOf = store.column('facets.number', 'f64')
    this.#entries = store.column('rows.facets', 'u32')
    this.#ends = store.column('rows.facets.ends', 'u32')
  }

  /** Adds the next row. */
  add(metadata: Metadata): void {
    for (const [key, value] of Object.entries(metadata)) this.#addAt([key], value)
    this.#ends.push(this.#entries.length)
  }

  #addAt(path: readonly string[], value: MetadataValue): void {
    if (value === null) return
    const name = JSON.stringify(path)
    const isList = Array.isArray(value)
    const scalars = (isList ? value : [value]).filter((one) => typeof one !== 'object')
    for (const one of scalars) this.#push(name, `${isList ? tag.element : tag.alone}${JSON.stringify(one)}`, one)
    if (scalars.length === 0) this.#push(name, tag.present)
    if (typeof value === 'object' && !isList)
      for (const [key, member] of Object.entries(value)) this.#addAt([...path, key], member)
  }

  #push(path: string, rest: string, value?: unknown): void {
    const facet = this.#facets.intern(path + rest)
    if (facet === this.#pathOf.length) {
      this.#pathOf.push(this.#paths.intern(path))
      this.#numberOf.push(typeof value === 'number' ? value : Number.NaN)
    }
    this.#entries.push(facet)
  }

  /** Adds a row of another shard as the next one. */
  copy(from: Facets, row: number): void {
    const { array: ends } = from.#ends
    for (let at = startOf(ends, row); at < (ends[row] ?? 0); at++) {
      const facet = from.#entries.array[at] ?? 0
      const path = from.#paths.text(from.#pathOf.array[facet] ?? 0)
      this.#push(path, from.#facets.text(facet).slice(path.length), from.#numberOf.array[facet])
    }
    this.#ends.push(this.#entries.length)
  }

  /**
   * By path as JSON, what the rows below a number have there; nothing for a path that no row has. Rows never change, so what was
   * read is kept, and later only new rows are read.
   */
  columns(paths: readonly (readonly string[])[], rowCount: number): ReadonlyMap<string, PathColumn> {
    const found = new Map<string, PathColumn>()
    for (const name of new Set(paths.map((path) => JSON.stringify(path)))) {
      const path = this.#paths.find(name)
      if (path < 0) continue
      const column = this.#kept.get(path) ?? new PathColumn(path, this.#paths.byteLength(path))
      this.#kept.set(path, column)
      found.set(name, column)
    }
    this.#read([...found.values()], rowCount)
    return found
  }

  #read(columns: readonly PathColumn[], rowCount: number): void {
    const [entries, ends, pathOf] = [this.#entries.array, this.#ends.array, this.#pathOf.array]
    const first = Math.min(rowCount, ...columns.map((column) => column.rowCount))
    if (first === rowCount) return
    const reading: PathColumn[] = []
    for (const column of columns) {
      column.reserve(rowCount)
      reading[column.path] = column
    }
    for (let row = first, at = startOf(ends, first); row < rowCount; row++) {
      for (const end = ends[row] ?? 0; at < end; at++) {
        const facet = entries[at] ?? 0
        const column = reading[pathOf[facet] ?? 0]
        if (column !== undefined && row >= column.rowCount) column.add(row, facet)
      }
    }
    for (const column of columns) column.rowCount = Math.max(column.rowCount, rowCount)
  }

  /** Whether sets of a column meet a comparison. */
  test(comparison: Comparison, column: PathColumn): NumberTest {
    if (comparison.kind === 'exists') return (set) => set > 0
    if (comparison.kind === 'equals') {
      const path = this.#paths.text(column.path)
      const wanted = new Set(comparison.values.flatMap((value) => this.#facetsOf(path, value)))
      return (set) => column.some(set, (facet) => wanted.has(facet))
    }
    const byBytes = bytesTest(comparison, this.#facets, { start: column.byteLength + 1, isJson: true })
    const meets = (facet: number): boolean => {
      const met = byBytes?.(facet)
      if (met !== undefined) return met
      const value = this.#scalarOf(facet, column)
      return holds(comparison, value === null || this.#isAlone(facet, column) ? value : [value])
    }
    return (set) => column.some(set, meets)
  }

  /** The sets that have one of some values; null where a set may have several. */
  setsWith(values: readonly Scalar[], column: PathColumn): number[] | null {
    const path = this.#paths.text(column.path)
    const facets = values.flatMap((value) => this.#facetsOf(path, value))
    return column.hasSeveral ? null : facets.flatMap((facet) => column.setOf(facet) ?? [])
  }

  /** The distinct values in a set of a column: none of what is only present. */
  scalarsOf(set: number, column: PathColumn): Scalar[] {
    const scalars = column.facetsOf(set).map((facet) => this.#scalarOf(facet, column))
    return [...new Set(scalars.filter((scalar) => scalar !== null))]
  }

  /** The value in a set of a column; undefined for a list or an object, of which there are only parts. */
  valueOf(set: number, column: PathColumn): Scalar | null | undefined {
    const [facet, other] = column.facetsOf(set)
    if (facet === undefined) return null
    return other === undefined && this.#isAlone(facet, column)
      ? (this.#scalarOf(facet, column) ?? undefined)
      : undefined
  }

  /** Whether each of its sets is one value outside of lists, and no two are the same. */
  holdsSingles(column: PathColumn): boolean {
    for (; column.hasSingles && column.checkedSets < column.setCount; column.checkedSets++) {
      const [facet, other] = column.facetsOf(column.checkedSets)
      column.hasSingles = facet === undefined || (other === undefined && this.#isAlone(facet, column))
      column.hasNumbers ||= !Number.isNaN(this.numberIn(column.checkedSets, column))
    }
    return column.hasSingles
  }

  /** Of a set that is one value: the number, or NaN. */
  numberIn(set: number, column: PathColumn): number {
    return this.#numberOf.array[column.lastOf(set)] ?? Number.NaN
  }

  /** By set of a column, keys in the order of its texts or numbers. */
  keysOf(column: PathColumn, type: 'number' | 'string'): Float64Array {
    return column.keys[type].of(column.setCount, (set) => this.valueOf(set, column))
  }

  rangeOf(comparison: Ordering, column: PathColumn): KeyRange {
    const type =
      comparison.kind === 'within' && typeof Object.values(comparison.bounds)[0] === 'number' ? 'number' : 'string'
    return { keys: this.keysOf(column, type), ...column.keys[type].range(comparison) }
  }

  #isAlone(facet: number, { byteLength }: PathColumn): boolean {
    return this.#facets.byteAt(facet, byteLength) === tag.alone.charCodeAt(0)
  }

  /** Null for what is only present. */
  #scalarOf(facet: number, { byteLength }: PathColumn): Scalar | null {
    const number = this.#numberOf.array[facet] ?? Number.NaN
    if (!Number.isNaN(number)) return number
    const json = this.#facets.text(facet, byteLength + 1)
    if (json === '') return null
    return json.startsWith('"') && !json.includes('\\') ? json.slice(1, -1) : JSON.parse(json)
  }

  #facetsOf(path: string, value: Scalar): number[] {
    const json = JSON.stringify(value)
    return [tag.alone, tag.element].map((one) => this.#facets.find(path + one + json)).filter((facet) => facet >= 0)
  }
}

/** Columns that are kept. Limits the memory: four bytes each for a row. */
const maxColumns = 32

/** What the rows of a shard have at a path. Distinct sets of facets have numbers; 0 is the empty one. */
export class PathColumn {
  readonly path: number
  /** Of the path as JSON, with which facets begin. */
  readonly byteLength: number
  /** By row. */
  sets = new Uint32Array(0)
  /** How many rows were read. */
  rowCount = 0
  /** Of the first sets, whether each is one value outside of lists, and any a number; and how many these are. */
  hasSingles = true
  /** Whether any set has several facets. */
  hasSeveral = false
  hasNumbers = false
  checkedSets = 0
  readonly keys = { number: new ValueKeys('number'), string: new ValueKeys('string') }
  /** By set: its last facet, and the set of the others. */
  readonly #last = [-1]
  readonly #others = [0]
  /** By set, the sets with one facet more. */
  readonly #more: (Map<number, number> | undefined)[] = []

  constructor(path: number, byteLength: number) {
    this.path = path
    this.byteLength = byteLength
  }

  get setCount(): number {
    return this.#last.length
  }

  reserve(rowCount: number): void {
    if (rowCount <= this.sets.length) return
    const grown = new Uint32Array(rowCount + (this.sets.length >>> 2))
    grown.set(this.sets)
    this.sets = grown
  }

  /** Facets of a row come in order. */
  add(row: number, facet: number): void {
    const set = this.sets[row] ?? 0
    const more = this.#more[set] ?? new Map<number, number>()
    this.#more[set] = more
    this.hasSeveral ||= set !== 0
    let found = more.get(facet)
    if (found === undefined) {
      found = this.#last.push(facet) - 1
      this.#others.push(set)
      more.set(facet, found)
    }
    this.sets[row] = found
  }

  /** The set of a facet alone. */
  setOf(facet: number): number | undefined {
    return this.#more[0]?.get(facet)
  }

  /** The only facet of a set of one. */
  lastOf(set: number): number {
    return this.#last[set] ?? 0
  }

  some(set: number, meets: NumberTest): boolean {
    for (let rest = set; rest !== 0; rest = this.#others[rest] ?? 0) if (meets(this.#last[rest] ?? 0)) return true
    return false
  }

  facetsOf(set: number): number[] {
    const facets: number[] = []
    for (let rest = set; rest !== 0; rest = this.#others[rest] ?? 0) facets.push(this.#last[rest] ?? 0)
    return facets
  }
}
