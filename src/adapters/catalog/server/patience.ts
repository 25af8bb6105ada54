import { setTimeout as sleep } from 'node:timers/promises'

const steps = 8

/**
 * Rejects when `work` takes too long. The time passes in steps: when this process itself stood still, the answer that
 * waits to be read meanwhile comes first, and no server is blamed for it.
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const over = new AbortController()
  const late = async (): Promise<never> => {
    for (let step = 0; step < steps; step += 1) await sleep(ms / steps, undefined, { signal: over.signal, ref: false })
    throw new Error(`no answer within ${ms} ms`)
  }
  return Promise.race([work, late()]).finally(() => over.abort())
}
