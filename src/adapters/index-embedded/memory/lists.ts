import type { Column, Store } from './store.ts'

const firstSlice = 2
const largestSlice = 1024

/**
 * Append-only lists of numbers above 0, one per key, in one pool of chained slices that double in size. A slice is its
 * capacity, its entries, and the position of the next slice; a 0 entry ends the list. So a reader needs no length: it
 * sees an entry appended meanwhile either completely or not at all.
 */
export class Lists {
  /** By key, the position of the first slice; 0 for an empty list. */
  readonly heads: Column<'u32'>
  readonly pool: Column<'u32'>
  /** By key, the last slice, and the position of its next entry. */
  readonly #slices: Column<'u32'>
  readonly #tails: Column<'u32'>

  constructor(store: Store, name: string) {
    this.heads = store.column(`${name}.heads`, 'u32')
    this.pool = store.column(`${name}.pool`, 'u32')
    this.#slices = store.column(`${name}.slices`, 'u32')
    this.#tails = store.column(`${name}.tails`, 'u32')
    // So that no slice is at 0.
    if (this.pool.length === 0) this.pool.extend(1)
  }

  append(key: number, value: number): void {
    this.#ensure(key)
    const slice = this.#slices.array[key] ?? 0
    const capacity = this.pool.array[slice] ?? 0
    let tail = this.#tails.array[key] ?? 0
    if (slice === 0) tail = this.#chain(key, firstSlice)
    else if (tail > slice + capacity) tail = this.#chain(key, Math.min(2 * capacity, largestSlice))
    this.pool.array[tail] = value
    this.#tails.array[key] = tail + 1
  }

  /** Each number of a list, in the order in which they were added; nothing for a key without one. */
  each(key: number, visit: (value: number) => void): void {
    const [heads, pool] = [this.heads.array, this.pool.array]
    for (let slice = heads[key] ?? 0; slice !== 0; ) {
      const end = slice + 1 + (pool[slice] ?? 0)
      for (let at = slice + 1; at < end && pool[at] !== 0; at++) visit(pool[at] ?? 0)
      slice = pool[end] ?? 0
    }
  }

  /** Starts a slice at the end of a list; returns the position of its first entry. */
  #chain(key: number, capacity: number): number {
    const slice = this.pool.extend(capacity + 2)
    this.pool.array[slice] = capacity
    const last = this.#slices.array[key] ?? 0
    if (last === 0) this.heads.array[key] = slice
    else this.pool.array[last + 1 + (this.pool.array[last] ?? 0)] = slice
    this.#slices.array[key] = slice
    return slice + 1
  }

  #ensure(key: number): void {
    const missing = key + 1 - this.heads.length
    if (missing <= 0) return
    for (const column of [this.heads, this.#slices, this.#tails]) column.extend(missing)
  }
}

/** Lists of words for the terms of a query, in memory that the queries of a thread reuse. */
export class WordLists {
  #words = new Uint32Array(4096)
  #used = 0

  /** Makes the memory free: lists of earlier queries are no longer valid. */
  reset(): void {
    this.#used = 0
  }

  /** The words that are listed under these keys, as often as they are listed; -1 is a key without words. */
  of(lists: Lists, keys: readonly number[]): Uint32Array {
    const start = this.#used
    const [heads, pool] = [lists.heads.array, lists.pool.array]
    for (const key of keys) {
      for (let slice = key < 0 ? 0 : (heads[key] ?? 0); slice !== 0; ) {
        const capacity = pool[slice] ?? 0
        const end = slice + 1 + capacity
        this.#reserve(capacity)
        for (let at = slice + 1; at < end && pool[at] !== 0; at++) this.#words[this.#used++] = (pool[at] ?? 0) - 1
        slice = pool[end] ?? 0
      }
    }
    return this.#words.subarray(start, this.#used)
  }

  #reserve(count: number): void {
    if (this.#used + count <= this.#words.length) return
    // Lists before keep the memory that they are in.
    const grown = new Uint32Array(2 * (this.#used + count))
    grown.set(this.#words)
    this.#words = grown
  }
}
