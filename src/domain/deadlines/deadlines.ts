/** How long each stage of a search may wait for its provider. A stage requests its signal when it begins. */
export interface Deadlines {
  forEmbedding(): AbortSignal
  forReranking(): AbortSignal
  forWriting(): AbortSignal
  forJudging(): AbortSignal
  forPlanning(): AbortSignal
  /** Whether there is time for a further search: most of it is for writing. */
  allowsStep(): boolean
}

/**
 * The share of the remaining time that a stage may use when it begins. A stage that hangs leaves time for the others,
 * so a failing provider affects only its own part. Writing is by far the slowest.
 */
const shares = { embedding: 0.3, reranking: 0.3, planning: 0.2, writing: 0.75, judging: 1 }
const stepsShare = 0.4

/** All stages together end within `totalMs` from now. */
export function createDeadlines(totalMs: number): Deadlines {
  const end = performance.now() + totalMs
  const signal = (share: number) =>
    AbortSignal.timeout(Math.max(0, Math.floor(share * Math.max(0, end - performance.now()))))
  return {
    forEmbedding: () => signal(shares.embedding),
    forReranking: () => signal(shares.reranking),
    forWriting: () => signal(shares.writing),
    forJudging: () => signal(shares.judging),
    forPlanning: () => signal(shares.planning),
    allowsStep: () => end - performance.now() > (1 - stepsShare) * totalMs,
  }
}
