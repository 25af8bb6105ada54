import type { AnchoredCheckpoint } from '../model/anchored-checkpoint.ts'

export type { AnchoredCheckpoint }

/**
 * A place outside of the catalog's database where checkpoints of audit logs are kept for good: what tells that the
 * database was set back. Nothing is ever changed or removed there. Several processes may use one place at once.
 */
export interface AuditAnchor {
  readonly engine: string
  /** Durable before it resolves; again the same size and note change nothing. Fails when the place can't be written. */
  append(checkpoint: AnchoredCheckpoint): Promise<void>
  /**
   * The checkpoint of each namespace with the most rows, in any order; of several of that size one. Its cost grows with
   * the number of namespaces, not with that of checkpoints. Nothing for a place that does not exist yet; an error for one
   * that can't be read.
   */
  newest(): AsyncIterable<AnchoredCheckpoint>
  /**
   * All checkpoints of a namespace, by size, smallest first. Several of one size (only a log that was forked has them)
   * all come. Nothing for a namespace that has none.
   */
  of(namespaceId: string): AsyncIterable<AnchoredCheckpoint>
}
