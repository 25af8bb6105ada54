/** Counts this process's changes of Units. What a request read before its own write must not answer after it. */
export class OwnWrites {
  #count = 0
  readonly #last = new Map<string, number>()

  /** A point in time, to compare with later. */
  mark(): number {
    return this.#count
  }

  changed(namespaceId: string): void {
    this.#last.set(namespaceId, ++this.#count)
  }

  since(namespaceId: string, mark: number): boolean {
    return (this.#last.get(namespaceId) ?? 0) > mark
  }
}
