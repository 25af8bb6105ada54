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
