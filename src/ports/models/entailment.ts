/** Whether the hypothesis follows from the premise. */
export interface EntailmentPair {
  premise: string
  hypothesis: string
}

/** Judges entailment. Its scores order pairs; they are not probabilities unless the method says so. */
export interface Entailment {
  /** Names the method in answers. */
  method: string
  /** The lowest score at which a hypothesis counts as supported. */
  threshold: number
  /**
   * 0 (contradicted, or unrelated) to 1 (entailed), one per pair, in order. Throws when its provider fails, or does not
   * answer before the signal.
   */
  score(pairs: readonly EntailmentPair[], signal?: AbortSignal): Promise<number[]>
}
