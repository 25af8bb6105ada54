import { setTimeout as delay } from 'node:timers/promises'
import type { WriteAttempt } from '../../../ports/index-sink.ts'
import { isOf, PineconeFailure, timedOut } from './failure.ts'

const firstDelayMs = 100
const mostDelayMs = 5000

/** After the first try. */
export const retries = { write: 4, read: 1 } as const

/**
 * Tries again what may pass, after as long as Pinecone asks, else after a random part of a time that doubles ("full
 * jitter": Brooker, Exponential Backoff and Jitter, 2015).
 */
export async function withRetries<T>(most: number, signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    try {
      signal.throwIfAborted()
      return await attempt()
    } catch (error) {
      if (signal.aborted) throw error instanceof PineconeFailure ? error : timedOut()
      if (retry >= most || !isOf(error, 'busy', 'broken', 'unreachable')) throw error
      const wait = error.retryAfterMs ?? Math.random() * firstDelayMs * 2 ** (retry + 1)
      if (wait > mostDelayMs) throw error
      await pause(wait, signal)
    }
  }
}

/**
 * A write with its retries. Each try that may be done all the same, later than what follows it, is reported, whether a
 * later one succeeds or not.
 */
export function writeWithRetries<T>(
  { signal, unsettled }: Pick<WriteAttempt, 'signal' | 'unsettled'>,
  request: () => Promise<T>,
): Promise<T> {
  return withRetries(retries.write, signal, async () => {
    try {
      return await request()
    } catch (error) {
      if (!(error instanceof PineconeFailure) || error.mayBeDone) unsettled()
      throw error
    }
  })
}

/** Throws when the signal comes first. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {
    throw timedOut()
  })
}

/** Both in one: what ends the work, and how long a single request may take. */
export const within = (ms: number, signal?: AbortSignal): AbortSignal =>
  signal ? AbortSignal.any([signal, AbortSignal.timeout(ms)]) : AbortSignal.timeout(ms)
