import type { MetadataCondition, NumberRange } from '../../../model/search.ts'
import type { Metadata } from '../../../model/unit.ts'
import { Dictionary } from '../memory/dictionary.ts'
import type { Column, Store } from '../memory/store.ts'

/** Rows' metadata as facets: distinct pairs of a key and a value; a list has a pair for each string. */
export class Facets {
  readonly #keys: Dictionary
  /** Facets as JSON `[key, value]`. */
  readonly #facets: Dictionary
  /** By facet: its key, and its value if that is a number, otherwise NaN. */
  readonly #keyOf: Column<'u32'>
  readonly #numberOf: Column<'f64'>
  /** All rows' facets in order; `#ends` gives the end of each row. */
  readonly #entries: Column<'u32'>
  readonly #ends: Column<'u32'>

  constructor(store: Store) {
    this.#keys = new Dictionary(store, 'facets.keys')
    this.#facets = new Dictionary(store, 'facets')
    this.#keyOf = store.column('facets.key', 'u32')
    this.#numberOf = store.column('facets.number', 'f64')
    this.#entries = store.column('rows.facets', 'u32')
    this.#ends = store.column('rows.facets.ends', 'u32')
  }

  /** Adds the next row. */
  add(metadata: Metadata): void {
    for (const [key, value] of Object.entries(metadata)) {
      for (const one of isList(value) ? value : [value]) this.#entries.push(this.#intern(key, one))
    }
    this.#ends.push(this.#entries.length)
  }

  /** Adds a row of another shard as the next one. */
  copy(from: Facets, row: number): void {
    for (let at = from.#start(row); at < (from.#ends.array[row] ?? 0); at++) {
      const [key, value] = JSON.parse(from.#facets.text(from.#entries.array[at] ?? 0))
      this.#entries.push(this.#intern(key, value))
    }
    this.#ends.push(this.#entries.length)
  }

  /** Whether a row meets a condition: each distinct facet is tested once, then the row needs one that passed. */
  test(key: string, condition: MetadataCondition): (row: number) => boolean {
    const matching = this.#matching(key, condition)
    const [entries, ends] = [this.#entries.array, this.#ends.array]
    return (row) => {
      const end = ends[row] ?? 0
      for (let at = this.#start(row); at < end; at++) if (matching[entries[at] ?? 0] === 1) return true
      return false
    }
  }

  #matching(key: string, condition: MetadataCondition): Uint8Array {
    const matching = new Uint8Array(this.#facets.size)
    if (isRange(condition)) {
      const { gte = -Infinity, lte = Infinity } = condition
      const number = this.#keys.find(key)
      for (let facet = 0; facet < matching.length; facet++) {
        const value = this.#numberOf.array[facet] ?? Number.NaN
        if (this.#keyOf.array[facet] === number && value >= gte && value <= lte) matching[facet] = 1
      }
      return matching
    }
    for (const value of isList(condition) ? condition : [condition]) {
      const facet = this.#facets.find(JSON.stringify([key, value]))
      if (facet >= 0) matching[facet] = 1
    }
    return matching
  }

  #intern(key: string, value: string | number | boolean): number {
    const facet = this.#facets.intern(JSON.stringify([key, value]))
    if (facet === this.#keyOf.length) {
      this.#keyOf.push(this.#keys.intern(key))
      this.#numberOf.push(typeof value === 'number' ? value : Number.NaN)
    }
    return facet
  }

  #start(row: number): number {
    return row === 0 ? 0 : (this.#ends.array[row - 1] ?? 0)
  }
}

const isList = <T>(value: T | readonly T[]): value is readonly T[] => Array.isArray(value)
const isRange = (value: MetadataCondition): value is NumberRange => typeof value === 'object' && !Array.isArray(value)
