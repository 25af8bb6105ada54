import { type Comparison, holds, type Scalar } from '../../../model/filter.ts'
import type { Metadata, MetadataValue } from '../../../model/unit.ts'
import { Dictionary } from '../memory/dictionary.ts'
import type { Column, Store } from '../memory/store.ts'

/** A comparison of what is at a path. */
export type PathComparison = Comparison & { at: readonly string[] }

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

  constructor(store: Store) {
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
   * A function that says of a row which comparisons its facets meet: in bits of `met`, 32 to a word. Each distinct facet is
   * compared once, so a row is a few lookups, however many comparisons there are.
   */
  tester(comparisons: readonly PathComparison[]): { met: Uint32Array; read(row: number): void } {
    const words = Math.ceil(comparisons.length / 32)
    const met = new Uint32Array(words)
    const masks = Array.from({ length: words }, () => new Uint32Array(this.#facets.size))
    this.#compareAll(comparisons, (facet, i) => {
      const mask = masks[i >>> 5]
      if (mask) mask[facet] = (mask[facet] ?? 0) | (1 << (i & 31))
    })
    const [entries, ends] = [this.#entries.array, this.#ends.array]
    const read = (row: number) => {
      const [start, end] = [startOf(ends, row), ends[row] ?? 0]
      for (const [word, mask] of masks.entries()) {
        let bits = 0
        for (let at = start; at < end; at++) bits |= mask[entries[at] ?? 0] ?? 0
        met[word] = bits
      }
    }
    return { met, read }
  }

  /** By value as JSON, how many of these rows have it at a path: a list once for each of its values. And how many have none. */
  count(path: readonly string[], rows: Uint32Array): { counts: Map<string, number>; missing: number } {
    const number = this.#paths.find(JSON.stringify(path))
    const [entries, ends, pathOf] = [this.#entries.array, this.#ends.array, this.#pathOf.array]
    /** By facet, which of `values` it is; -1 for none. */
    const known = new Map<number, number>()
    const values = new Map<string, number>()
    const [counts, lastRow]: [number[], number[]] = [[], []]
    let missing = 0
    const numberOf = (facet: number): number => {
      const rest = this.#facets.text(facet).slice(this.#paths.text(number).length)
      const json = rest === tag.present ? undefined : rest.slice(1)
      if (json === undefined) return -1
      const value = values.get(json) ?? counts.push(0) - 1
      values.set(json, value)
      return value
    }
    for (const row of rows) {
      let isMissing = true
      for (let at = startOf(ends, row); at < (ends[row] ?? 0); at++) {
        const facet = entries[at] ?? 0
        if (pathOf[facet] !== number) continue
        const value = known.get(facet) ?? numberOf(facet)
        known.set(facet, value)
        if (value < 0) continue
        isMissing = false
        if (lastRow[value] === row) continue
        lastRow[value] = row
        counts[value] = (counts[value] ?? 0) + 1
      }
      if (isMissing) missing += 1
    }
    return { counts: new Map([...values].map(([json, value]) => [json, counts[value] ?? 0])), missing }
  }

  #compareAll(comparisons: readonly PathComparison[], pass: (facet: number, comparison: number) => void): void {
    /** By path, the comparisons that have to look at each of its facets, and the length of the path as JSON. */
    const looking = new Map<number, { some: number[]; length: number }>()
    for (const [i, comparison] of comparisons.entries()) {
      const path = JSON.stringify(comparison.at)
      if (comparison.kind === 'equals') {
        for (const facet of comparison.values.flatMap((value) => this.#facetsOf(path, value))) pass(facet, i)
        continue
      }
      const number = this.#paths.find(path)
      if (number >= 0) looking.set(number, { some: [...(looking.get(number)?.some ?? []), i], length: path.length })
    }
    if (looking.size === 0) return
    for (let facet = 0; facet < this.#facets.size; facet++) {
      const path = looking.get(this.#pathOf.array[facet] ?? 0)
      if (path === undefined) continue
      const value = this.#valueOf(facet, path.length)
      for (const i of path.some) {
        const comparison = comparisons[i]
        if (comparison && holds(comparison, value)) pass(facet, i)
      }
    }
  }

  #facetsOf(path: string, value: Scalar): number[] {
    const json = JSON.stringify(value)
    return [tag.alone, tag.element].map((one) => this.#facets.find(path + one + json)).filter((facet) => facet >= 0)
  }

  /** The value of a facet, in a list if it is an element of one. What is only present is an empty list. */
  #valueOf(facet: number, pathLength: number): unknown {
    const number = this.#numberOf.array[facet] ?? Number.NaN
    // In a list or alone, a number is compared in the same way.
    if (!Number.isNaN(number)) return number
    const rest = this.#facets.text(facet).slice(pathLength)
    if (rest === tag.present) return []
    const value: unknown = JSON.parse(rest.slice(1))
    return rest.startsWith(tag.element) ? [value] : value
  }
}

const startOf = (ends: Uint32Array, row: number) => (row === 0 ? 0 : (ends[row - 1] ?? 0))
