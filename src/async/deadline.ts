import { setTimeout as sleep } from 'node:timers/promises'

const steps = 8

/**
 * Rejects when `work` takes too long. The time is measured in steps: if this process itself was paused, an answer that
 * is already there is read first, so the service is not blamed.
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const over = new AbortController()
  const late = async (): Promise<never> => {
    for (let step = 0; step < steps; step += 1) await sleep(ms / steps, undefined, { signal: over.signal, ref: false })
    throw new Error('no answer in time')
  }
  return Promise.race([work, late()]).finally(() => over.abort())
}

/** Aborts after the time, or with the signal if that comes first. */
export const signalWithin = (ms: number, signal?: AbortSignal): AbortSignal =>
  signal ? AbortSignal.any([signal, AbortSignal.timeout(ms)]) : AbortSignal.timeout(ms)

/** The result of the work, unless the signal aborts before it. Then the work continues, but nobody waits for it. */
export function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  reason: () => unknown = () => signal?.reason,
): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(reason())
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
