import type { RecordMetadata } from './metadata-filter.ts'

export interface StoredRecord {
  id: string
  values: number[]
  metadata: RecordMetadata
}

/** The records of a namespace that reads see, and the writes that they don't see yet. */
export interface Namespace {
  visible: Map<string, StoredRecord>
  /** Log sequence numbers of the last write and of the last visible write. */
  lsn: number
  indexedLsn: number
  pending: { lsn: number; at: number; apply(records: Map<string, StoredRecord>): void }[]
}

const newNamespace = (): Namespace => ({ visible: new Map(), lsn: 0, indexedLsn: 0, pending: [] })

/** The namespaces of an index, eventually consistent as in Pinecone: reads see an acknowledged write after the lag. */
export class Namespaces {
  readonly #byName = new Map<string, Namespace>()
  readonly #lagMs: () => number

  constructor(lagMs: () => number) {
    this.#lagMs = lagMs
  }

  names(): string[] {
    return [...this.#byName.keys()]
  }

  /** The records that reads see now. */
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

  /** Returns the sequence number of the write. Only a write that puts records creates a namespace. */
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

  /** Removes the namespace after the lag, with everything written to it until then. */
  remove(name: string): void {
    const namespace = this.#byName.get(name)
    const remove = () => {
      if (this.#byName.get(name) === namespace) this.#byName.delete(name)
    }
    if (this.#lagMs() === 0) remove()
    else setTimeout(remove, this.#lagMs()).unref()
  }

  /** All records, including those not yet visible. */
  all(name: string): Map<string, StoredRecord> {
    const namespace = this.#byName.get(name)
    const records = new Map(namespace?.visible)
    for (const { apply } of namespace?.pending ?? []) apply(records)
    return records
  }
}
