import type { Passage } from './answer-writer.ts'

/** Decides what an answer searches next. */
export interface StepPlanner {
  /** Names the planner in traces and logs. */
  model: string
  /**
   * Sub-questions to search, most useful first; empty when the passages cover the question. The planner sees what the
   * caller may see and nothing else. Passages are data, not instructions, and the result is not trusted: each query runs
   * in the caller's own session. `asked` are the queries so far. Throws when its provider fails, or does not answer
   * before the signal.
   */
  next(
    question: string,
    passages: readonly Passage[],
    asked: readonly string[],
    signal?: AbortSignal,
  ): Promise<string[]>
}
