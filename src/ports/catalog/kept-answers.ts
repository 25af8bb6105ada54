/** What a write left under its Idempotency-Key. The catalog can read neither the key nor the content. */
export interface KeptAnswer {
  id: string
  /** A digest of the request. */
  request: string
  /** Encrypted. */
  content: Uint8Array
  /** Epoch milliseconds. */
  expiresAt: number
}

export interface KeptAnswers {
  /** Null also for an expired one. */
  find(id: string, now: number): Promise<KeptAnswer | null>
  /** Keeps it, unless one is kept under this id: then that one is returned. */
  keep(answer: KeptAnswer, now: number): Promise<KeptAnswer>
}

export interface KeptAnswerStore extends KeptAnswers {
  /** Returns how many there were. */
  removeExpired(now: number): Promise<number>
}
