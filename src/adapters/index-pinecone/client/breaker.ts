import { type FailureKind, PineconeFailure } from './failure.ts'

const pauseMs = { first: 500, most: 10_000 }

/** These say that Pinecone is not well; others, that one request was not. */
const telling: ReadonlySet<FailureKind> = new Set(['timeout', 'unreachable', 'busy', 'broken', 'malformed'])

/** Keeps searches from waiting for what just failed to answer. */
export interface Breaker {
  /** Throws at once while it is open. */
  run<T>(work: () => Promise<T>): Promise<T>
}

/**
 * A circuit breaker (Nygard, Release It!, 2007) that opens at the first failure: a search asks several times, one after
 * the other, and may wait for an engine that hangs only once. The pause doubles with each failure in a row; after it one
 * request at a time tries.
 */
export function createBreaker(now: () => number): Breaker {
  let failures = 0
  let openUntil = Number.NEGATIVE_INFINITY
  let probing = false

  const failed = () => {
    // What was under way when it opened says nothing new.
    if (now() < openUntil) return
    openUntil = now() + Math.min(pauseMs.most, pauseMs.first * 2 ** failures)
    failures += 1
  }
  return {
    run: async (work) => {
      const isProbe = failures > 0
      if (isProbe && (probing || now() < openUntil)) throw new PineconeFailure('paused', 'failed a moment ago')
      probing ||= isProbe
      try {
        const result = await work()
        if (now() >= openUntil) failures = 0
        return result
      } catch (error) {
        if (!(error instanceof PineconeFailure) || telling.has(error.kind)) failed()
        throw error
      } finally {
        if (isProbe) probing = false
      }
    },
  }
}
