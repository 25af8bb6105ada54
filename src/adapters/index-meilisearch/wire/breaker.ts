import { EngineError, type Failure } from './engine-error.ts'

/** So much is enough to pause: one call that waited in vain, or some that failed at once. */
const patience = 3
const worth: Partial<Record<Failure, number>> = { unreachable: 1, broken: 1, malformed: 1 }

/** How long nobody asks then, unless something else is asked for. */
export const pauseMs = 5000

/** A call that was cut short sooner than this says nothing of the engine. */
const fairMs = 1000

/** A circuit breaker (Nygard, Release It!, 2007): while the engine is away, nobody waits for it to say so. */
export interface Breaker {
  /** Runs the call, or throws at once. After a pause the first one to come tries the engine with `probe` before. */
  pass<T>(call: () => Promise<T>, probe: () => Promise<unknown>): Promise<T>
}

export function createBreaker(now: () => number, pause = pauseMs): Breaker {
  let blame = 0
  let pausedUntil = Number.NEGATIVE_INFINITY
  let probing = false

  const blamed = (code: Failure, ms: number): number => {
    if (code === 'timeout') return ms >= fairMs ? patience : blame
    // What it refuses, it has read: it is there.
    return code in worth ? blame + (worth[code] ?? 0) : 0
  }

  async function watched<T>(call: () => Promise<T>): Promise<T> {
    const started = now()
    try {
      const value = await call()
      blame = 0
      return value
    } catch (error) {
      if (error instanceof EngineError) blame = blamed(error.code, now() - started)
      if (blame >= patience) pausedUntil = now() + pause
      throw error
    }
  }

  /** Something small, so that a long call is not what all others wait for. */
  async function tryAgain(probe: () => Promise<unknown>): Promise<void> {
    if (probing || now() < pausedUntil) throw new EngineError('paused', 'did not answer lately')
    probing = true
    try {
      await watched(probe)
    } catch (error) {
      if (blame >= patience) throw error
    } finally {
      probing = false
    }
  }

  return {
    pass: async (call, probe) => {
      if (blame >= patience) await tryAgain(probe)
      return watched(call)
    },
  }
}
