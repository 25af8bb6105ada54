import { ProviderError } from './provider-error.ts'

/** So many failures in a row pause the provider. */
export const failuresToPause = 5
export const pauseMs = 10_000

/** Whether one call went well is told once; a call that says nothing of the provider is let go. */
export interface Trial {
  succeeded(): void
  failed(): void
  letGo(): void
}

export interface Breaker {
  /** Throws while the provider is paused. After the pause one call at a time tries it. */
  begin(): Trial
  /** It failed too often, and has not succeeded since. */
  isOpen(): boolean
}

/** A circuit breaker (Nygard, Release It!, 2007): what keeps failing is not asked for a while, so nobody waits for it. */
export function createBreaker(now: () => number): Breaker {
  let failures = 0
  let pausedUntil = Number.NEGATIVE_INFINITY
  let probing = false
  const isOpen = () => failures >= failuresToPause
  return {
    isOpen,
    begin: () => {
      const probe = isOpen()
      if (probe && (probing || now() < pausedUntil)) throw new ProviderError('paused', 'failed too often lately')
      probing ||= probe
      const end = () => {
        if (probe) probing = false
      }
      return {
        succeeded: () => {
          end()
          failures = 0
        },
        failed: () => {
          end()
          failures += 1
          if (isOpen()) pausedUntil = now() + pauseMs
        },
        letGo: end,
      }
    },
  }
}
