/** A signed checkpoint as it is kept: the note is what counts, the rest says where it belongs. */
export interface AnchoredCheckpoint {
  namespaceId: string
  /** Rows that it covers. */
  size: number
  /** Epoch milliseconds. */
  time: number
  /** The signed note, verbatim. */
  note: string
}

/**
 * A place outside of the catalog's database where checkpoints of audit logs are kept for good: what tells that the
 * database was set back. Nothing is ever changed or removed there.
 */
export interface AuditAnchor {
  readonly engine: string
  /** Durable before it resolves; again the same checkpoint changes nothing. Fails when the place can't be written. */
  append(checkpoint: AnchoredCheckpoint): Promise<void>
  /** The checkpoint of each namespace with the most rows, in any order. */
  newest(): AsyncIterable<AnchoredCheckpoint>
  /** All checkpoints of a namespace, by size, smallest first. Several of one size (only a log that was forked has them) all come. */
  of(namespaceId: string): AsyncIterable<AnchoredCheckpoint>
}
