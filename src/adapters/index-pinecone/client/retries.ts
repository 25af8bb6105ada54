import { setTimeout as delay } from 'node:timers/promises'
import type { WriteAttempt } from '../../../ports/indexes/index-sink.ts'
import { RemoteError } from '../../resilience/remote-error.ts'
import { withRetries as retried } from '../../resilience/retries.ts'
import { failure, timedOut } from './failure.ts'

const delays = { firstDelayMs: 100, maxDelayMs: 5000 }

export const retries = { write: { max: 4, ...delays }, read: { max: 1, ...delays } } as const

export const withRetries = <T>(
  policy: (typeof retries)[keyof typeof retries],
  signal: AbortSignal,
  attempt: () => Promise<T>,
): Promise<T> => retried(policy, attempt, { signal, fail: failure })

/**
 * A write with its retries. Reports each failed try that may still take effect, even after later requests, whether a
 * later try succeeds or not.
 */
export function writeWithRetries<T>(
  { signal, unsettled }: Pick<WriteAttempt, 'signal' | 'unsettled'>,
  request: () => Promise<T>,
): Promise<T> {
  return withRetries(retries.write, signal, async () => {
    try {
      return await request()
    } catch (error) {
      if (!(error instanceof RemoteError) || error.mayBeDone) unsettled()
      throw error
    }
  })
}

/** Throws if the signal aborts first. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {
    throw timedOut()
  })
}
