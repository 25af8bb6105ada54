/** A Map of at most `limit` entries: a new entry replaces the least recently used one. */
export class RecentMap<K, V> extends Map<K, V> {
  readonly #limit: number

  constructor(limit: number) {
    super()
    this.#limit = limit
  }

  // A Map iterates in insertion order; inserting again on use makes that the order of use.
  override get(key: K): V | undefined {
    const value = super.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  override set(key: K, value: V): this {
    this.delete(key)
    super.set(key, value)
    if (this.size > this.#limit) for (const oldest of this.keys()) return this.#drop(oldest)
    return this
  }

  #drop(key: K): this {
    this.delete(key)
    return this
  }
}
