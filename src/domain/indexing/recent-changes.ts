import type { IndexChange } from '../../ports/indexes/index-filter.ts'

/** Changes of a namespace without a gap: all those above `after`, up to `upTo`. */
export interface ChangeBatch {
  after: number
  upTo: number
  changes: readonly IndexChange[]
}

/** How many changes are kept: several batches of the largest size. */
const maxChanges = 5000

/** Consecutive batches are joined up to this many changes: each call of an engine is slow. */
const manyChanges = 500

/**
 * Recently committed batches of new Units, so that indexes need not read them back from the catalog. Any of them may be
 * missing: the catalog is the truth.
 */
export class RecentChanges {
  // In order of arrival.
  readonly #batches = new Map<string, ChangeBatch>()
  #held = 0

  add(namespaceId: string, batch: ChangeBatch): void {
    this.#batches.set(keyOf(namespaceId, batch.after), batch)
    this.#held += batch.changes.length
    for (const [key, { changes }] of this.#batches) {
      if (this.#held <= maxChanges) return
      this.#batches.delete(key)
      this.#held -= changes.length
    }
  }

  /** The changes after a seq: a batch, and the following ones while they are small. */
  after(namespaceId: string, seq: number): ChangeBatch | undefined {
    let found = this.#batches.get(keyOf(namespaceId, seq))
    while (found && found.changes.length < manyChanges) {
      const next = this.#batches.get(keyOf(namespaceId, found.upTo))
      if (!next || next.upTo === found.upTo) break
      found = { after: seq, upTo: next.upTo, changes: [...found.changes, ...next.changes] }
    }
    return found
  }

  /** Whether all changes after a seq, up to another one, are kept: then they are new Units alone. */
  covers(namespaceId: string, after: number, upTo: number): boolean {
    let seq = after
    while (seq < upTo) {
      const batch = this.#batches.get(keyOf(namespaceId, seq))
      if (!batch || batch.upTo <= seq) return false
      seq = batch.upTo
    }
    return true
  }
}

const keyOf = (namespaceId: string, seq: number) => `${namespaceId} ${seq}`
