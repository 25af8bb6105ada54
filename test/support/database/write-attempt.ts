import type { WriteAttempt } from '../../../src/ports/indexes/index-sink.ts'

export interface ObservedAttempt extends WriteAttempt {
  isSettled(): boolean
}

/** One write of an index feed, with a timeout; it records whether the outcome of a request was unknown. */
export function writeAttempt(signal: AbortSignal = AbortSignal.timeout(90_000)): ObservedAttempt {
  let settled = true
  return {
    signal,
    again: false,
    unsettled: () => {
      settled = false
    },
    isSettled: () => settled,
  }
}
