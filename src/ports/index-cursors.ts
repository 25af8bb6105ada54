/** The right to feed a namespace to an index. */
export interface IndexLease {
  /** Grows with each new holder: what an earlier one still tries is refused. */
  fence: number
  /** The seq up to which the namespace is applied. */
  cursor: number
}

/** How far indexes outside of this process are, and which process feeds them. `index` is what tells one from another. */
export interface IndexCursors {
  /** The seq up to which the namespace is applied; 0 when nothing is. */
  read(namespaceId: string, index: string): Promise<number>
  /** Takes the lease or renews it, for `ttlMs` from now on; null while another holder has it. */
  claim(namespaceId: string, index: string, holder: string, ttlMs: number): Promise<IndexLease | null>
  /** Moves the cursor; false when the lease has passed to another holder since. */
  advance(namespaceId: string, index: string, fence: number, cursor: number): Promise<boolean>
  /** Gives the lease back, if it has not passed to another holder. */
  release(namespaceId: string, index: string, fence: number): Promise<void>
  /** Namespaces with changes that the index lacks and that nobody is applying. */
  behind(index: string, limit: number): Promise<string[]>
}
