/** The right to feed a namespace to an index. */
export interface IndexLease {
  /** Grows with each new holder: what an earlier one still tries is refused. */
  fence: number
  /** The seq up to which the namespace is applied. */
  cursor: number
  /**
   * For how long a write above the cursor that was given up may still be done, in ms: before that the cursor must not
   * move. 0 once that is over: then all above the cursor is to be written again. Null when nothing is unsettled.
   */
  unsettledMs: number | null
}

/** How far indexes outside of this process are, and which process feeds them. `index` is what tells one from another. */
export interface IndexCursors {
  /** The seq up to which the namespace is applied; 0 when nothing is. */
  read(namespaceId: string, index: string): Promise<number>
  /**
   * Takes the lease or renews it, for `ttlMs` from now on; null while another holder has it. What another holder let run
   * out, it may have died with: its writes stay unsettled for `settleMs` from the end of its lease.
   */
  claim(
    namespaceId: string,
    index: string,
    holder: string,
    times: { ttlMs: number; settleMs: number },
  ): Promise<IndexLease | null>
  /** Moves the cursor, and all below it is settled; false when the lease has passed to another holder since. */
  advance(namespaceId: string, index: string, fence: number, cursor: number): Promise<boolean>
  /**
   * Anything above `from` may be overwritten for `settleMs` from now on: takes the cursor back to there. The lease need
   * not be held; who holds it can't move the cursor before claiming it again.
   */
  reopen(namespaceId: string, index: string, from: number, settleMs: number): Promise<void>
  /** Gives the lease back, if it has not passed to another holder. */
  release(namespaceId: string, index: string, fence: number): Promise<void>
  /** Namespaces with changes that the index lacks and that nobody is applying. */
  behind(index: string, limit: number): Promise<string[]>
}
