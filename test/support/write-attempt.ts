import type { WriteAttempt } from '../../src/ports/index-sink.ts'

export interface ObservedAttempt extends WriteAttempt {
  isSettled(): boolean
}

/** A write of whoever feeds an index, for some time; remembers whether it was told of requests of unknown outcome. */
export function writeAttempt(signal: AbortSignal = AbortSignal.timeout(10_000)): ObservedAttempt {
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
