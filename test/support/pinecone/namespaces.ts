import type { RecordMetadata } from './metadata-filter.ts'

export interface StoredRecord {
  id: string
  values: number[]
  metadata: RecordMetadata
}

/** The records of a namespace as they were when the index last caught up, and what was written since. */
export interface Namespace {
  visible: Map<string, StoredRecord>
  /** Log sequence number of the last write, and of the last one that reads see. */
  lsn: number
  indexedLsn: number
  pending: { lsn: number; at: number; apply(records: Map<string, StoredRecord>): void }[]
}

const newNamespace = (): Namespace => ({ visible: new Map(), lsn: 0, indexedLsn: 0, pending: [] })

/**
 * The namespaces of an index, eventually consistent as Pinecone is: a write is acknowledged at once, and what reads see
 * follows after the lag.
 */
export class Namespaces {
  readonly #byName = new Map<string, Namespace>()
  readonly #lagMs: () => number

  constructor(lagMs: () => number) {
    this.#lagMs = lagMs
  }

  names(): string[] {
    return [...this.#byName.keys()]
  }

  /** What reads see now. */
  read(name: string): Namespace | undefined {
    const namespace = this.#byName.get(name)
    if (!namespace) return undefined
    const due = performance.now() - this.#lagMs()
    while (namespace.pending[0] && namespace.pending[0].at <= due) {
      const [write] = namespace.pending.splice(0, 1)
      write?.apply(namespace.visible)
      namespace.indexedLsn = write?.lsn ?? namespace.indexedLsn
    }
    return namespace
  }

  /** Returns the number of the write. Only what puts records makes a namespace. */
  write(name: string, apply: (records: Map<string, StoredRecord>) => void): number {
    const namespace = this.#byName.get(name) ?? newNamespace()
    this.#byName.set(name, namespace)
    namespace.lsn += 1
    namespace.pending.push({ lsn: namespace.lsn, at: performance.now(), apply })
    return namespace.lsn
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  /** After the lag, with what was written to it until then. */
  remove(name: string): void {
    const namespace = this.#byName.get(name)
    const remove = () => {
      if (this.#byName.get(name) === namespace) this.#byName.delete(name)
    }
    if (this.#lagMs() === 0) remove()
    else setTimeout(remove, this.#lagMs()).unref()
  }

  /** All records, those not yet visible too. */
  all(name: string): Map<string, StoredRecord> {
    const namespace = this.#byName.get(name)
    const records = new Map(namespace?.visible)
    for (const { apply } of namespace?.pending ?? []) apply(records)
    return records
  }
}
