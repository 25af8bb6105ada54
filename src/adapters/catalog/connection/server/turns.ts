import { DatabaseUnreachableError } from './gate.ts'

/**
 * Writers queue for each other, so the timeout is generous. If the server stops answering, running work fails at once,
 * and all waiting work fails after it.
 */
const timeoutMs = 60_000
const maxWaiting = 1000

/** Runs work when it is its turn. */
export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** At most `most` pieces of work per key at once, in order of arrival; work that waits too long fails. */
export function createTurns(max: number): Turns {
  const running = new Map<string, number>()
  const waiting = new Map<string, Set<() => void>>()

  const take = (key: string) => running.set(key, (running.get(key) ?? 0) + 1)
  const give = (key: string) => {
    const [next] = waiting.get(key) ?? []
    // Hands the turn to the next one; it is free only if nobody waits.
    if (next) return next()
    const left = (running.get(key) ?? 1) - 1
    if (left > 0) running.set(key, left)
    else running.delete(key)
  }
  const wait = (key: string) =>
    new Promise<void>((resolve, reject) => {
      const queue = waiting.get(key) ?? new Set()
      if (queue.size >= maxWaiting)
        return reject(new DatabaseUnreachableError(new Error(`${maxWaiting} writers wait already`)))
      waiting.set(key, queue)
      const leave = () => {
        queue.delete(next)
        if (queue.size === 0) waiting.delete(key)
        clearTimeout(late)
      }
      const next = () => {
        leave()
        resolve()
      }
      const late = setTimeout(() => {
        leave()
        reject(new DatabaseUnreachableError(new Error(`no turn within ${timeoutMs} ms`)))
      }, timeoutMs)
      queue.add(next)
    })

  return async (key, work) => {
    if ((running.get(key) ?? 0) < max) take(key)
    else await wait(key)
    return work().finally(() => give(key))
  }
}
