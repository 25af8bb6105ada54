/** The memory that a request takes until its answer has left: of a limit for its caller, and one for the process. */
export interface Room {
  /** Notes whose request it is. Throws 429 if this caller has too many open. */
  enter(principalId: string): void
  /**
   * Waits until there is room for an answer, or a part of one. Throws 429 while this caller holds too much that it has not
   * read, 503 while all callers together do, 400 if the answer is too long already.
   */
  more(isLong: boolean): Promise<void>
  /** Counts bytes of the answer. */
  hold(bytes: number): void
}
