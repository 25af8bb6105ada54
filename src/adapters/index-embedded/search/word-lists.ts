import type { Lists } from '../memory/lists.ts'

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
