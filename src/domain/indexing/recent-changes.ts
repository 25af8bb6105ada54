import type { IndexChange } from '../../ports/index-filter.ts'

/** Changes of a namespace with no gap: all those above `after`, up to `upTo`. */
export interface ChangeBatch {
  after: number
  upTo: number
  changes: readonly IndexChange[]
}

/** How many changes are kept: some batches of the largest size. */
const mostChanges = 5000

/**
 * What was committed a moment ago, so that indexes need not read it back from the catalog. Anything may be missing:
 * the catalog is the truth.
 */
export class RecentChanges {
  // In order of arrival.
  readonly #batches = new Map<string, ChangeBatch>()
  #held = 0

  add(namespaceId: string, batch: ChangeBatch): void {
    this.#batches.set(keyOf(namespaceId, batch.after), batch)
    this.#held += batch.changes.length
    for (const [key, { changes }] of this.#batches) {
      if (this.#held <= mostChanges) return
      this.#batches.delete(key)
      this.#held -= changes.length
    }
  }

  /** The batch that follows a seq. */
  after(namespaceId: string, seq: number): ChangeBatch | undefined {
    return this.#batches.get(keyOf(namespaceId, seq))
  }
}

const keyOf = (namespaceId: string, seq: number) => `${namespaceId} ${seq}`
