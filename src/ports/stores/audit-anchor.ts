import type { AnchoredCheckpoint } from '../../model/checkpoint.ts'

export type { AnchoredCheckpoint }

/**
 * A permanent store of audit log checkpoints, outside of the catalog's database. It shows when the database was reset
 * to an older state. It is append-only. Several processes may use one store at once.
 */
export interface AuditAnchor {
  readonly engine: string
  /**
   * Durable before it resolves. Writing the same size and note again changes nothing. Throws when the store can't be
   * written.
   */
  append(checkpoint: AnchoredCheckpoint): Promise<void>
  /**
   * The largest checkpoint of each namespace, in any order; one of them if several have that size. The cost grows with
   * the number of namespaces, not of checkpoints. Empty for a store that does not exist yet. Throws when the store
   * can't be read.
   */
  newest(): AsyncIterable<AnchoredCheckpoint>
  /**
   * All checkpoints of a namespace, smallest size first. Includes all checkpoints of the same size (only a forked log
   * has several). Empty for a namespace without checkpoints.
   */
  of(namespaceId: string): AsyncIterable<AnchoredCheckpoint>
}
