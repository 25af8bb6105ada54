/** The right to apply changes of a namespace to an index. */
export interface IndexLease {
  /** Grows with each new holder. Later attempts of an earlier holder are rejected. */
  fence: number
  /** The seq up to which changes of the namespace are applied. */
  cursor: number
  /**
   * How long an abandoned write above the cursor may still be executed, in ms. Until then the cursor must not move. 0
   * when that time is over: then everything above the cursor must be written again. Null when nothing is unsettled.
   */
  unsettledMs: number | null
}

/** The cursors of external indexes, and which process applies changes to them. `index` identifies the index. */
export interface IndexCursors {
  /** The seq up to which changes of the namespace are applied; 0 when there are none. */
  read(namespaceId: string, index: string): Promise<number>
  /**
   * Takes or renews the lease for `ttlMs` from now; null while another holder has it. A holder whose lease expired may
   * have crashed during a write: its writes stay unsettled for `settleMs` from the end of its lease.
   */
  claim(
    namespaceId: string,
    index: string,
    holder: string,
    times: { ttlMs: number; settleMs: number },
  ): Promise<IndexLease | null>
  /** Moves the cursor and marks everything below it as settled. False when another holder has the lease by now. */
  advance(namespaceId: string, index: string, fence: number, cursor: number): Promise<boolean>
  /**
   * Anything above `from` may be overwritten for `settleMs` from now: moves the cursor back to `from`. The caller does
   * not need the lease. Its holder must claim it again before it can move the cursor.
   */
  reopen(namespaceId: string, index: string, from: number, settleMs: number): Promise<void>
  /** Releases the lease, unless another holder has it by now. */
  release(namespaceId: string, index: string, fence: number): Promise<void>
  /** Namespaces with changes that the index lacks and that no process is applying. */
  behind(index: string, limit: number): Promise<string[]>
}
