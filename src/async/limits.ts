import { setTimeout as sleep } from 'node:timers/promises'

// Own code: p-queue has priorities and a concurrency, but no keys, no weights and no end of its line.

export interface Limits {
  /** How much work of one key runs at once: the sum of its weights. */
  max: number
  /** How many of one key may wait. One more is refused with this error. */
  line?: { max: number; full(): Error }
  /** How long one may wait. After that it is refused with this error. */
  wait?: { ms: number; late(): Error }
}

export interface Place {
  /** Each key has limits and a line of its own: keys never wait for each other. */
  key?: string
  /** Above 0. More than `max` counts as `max`, so that it can run. */
  weight?: number
  /** Urgent work is admitted before the rest. */
  urgent?: boolean
  signal?: AbortSignal | undefined
}

/** Ends a turn, so that the next ones begin. Further calls do nothing. */
export type Leave = () => void

/**
 * Admits work in the order of its arrival. Lighter work does not overtake heavier work, which would then never run. Work
 * is refused when the line is full, when it has waited too long, or with the reason of its signal; then nothing of it stays.
 */
export interface Limiter {
  enter(place?: Place): Promise<Leave>
  /** Begins at once if there is room. */
  run<T>(place: Place, work: () => Promise<T>): Promise<T>
}

interface Waiting {
  weight: number
  begin(): void
}

interface Lane {
  running: number
  weight: number
  urgent: Set<Waiting>
  others: Set<Waiting>
}

export function createLimiter({ max, line, wait }: Limits): Limiter {
  const lanes = new Map<string, Lane>()

  const admit = (key: string, lane: Lane, weight: number): Leave => {
    lane.running += 1
    lane.weight += weight
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      lane.running -= 1
      // The sum of fractions may not come back to 0.
      lane.weight = lane.running === 0 ? 0 : lane.weight - weight
      admitNext(key, lane)
    }
  }

  const admitNext = (key: string, lane: Lane) => {
    for (let next = firstOf(lane); next && lane.weight + next.weight <= max; next = firstOf(lane)) next.begin()
    if (lane.running === 0 && !firstOf(lane)) lanes.delete(key)
  }

  const place = ({ key = '', weight: full = 1, urgent = false, signal }: Place): Leave | Promise<Leave> => {
    signal?.throwIfAborted()
    const lane = lanes.get(key) ?? { running: 0, weight: 0, urgent: new Set(), others: new Set() }
    const weight = Math.min(full, max)
    const ahead = lane.urgent.size + (urgent ? 0 : lane.others.size)
    if (ahead === 0 && lane.weight + weight <= max) {
      lanes.set(key, lane)
      return admit(key, lane, weight)
    }
    if (line && lane.urgent.size + lane.others.size >= line.max) throw line.full()
    const waiting = urgent ? lane.urgent : lane.others
    return new Promise((resolve, reject) => {
      const leaveLine = () => {
        waiting.delete(entry)
        signal?.removeEventListener('abort', onAbort)
        clearTimeout(timer)
      }
      const refuse = (reason: unknown) => {
        leaveLine()
        // What waited behind it may be light enough.
        admitNext(key, lane)
        reject(reason)
      }
      const entry: Waiting = {
        weight,
        begin: () => {
          leaveLine()
          resolve(admit(key, lane, weight))
        },
      }
      const onAbort = () => refuse(signal?.reason)
      const timer = wait && setTimeout(() => refuse(wait.late()), wait.ms)
      waiting.add(entry)
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  return {
    enter: async (at = {}) => place(at),
    run: async (at, work) => {
      const turn = place(at)
      const leave = turn instanceof Promise ? await turn : turn
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}

const firstOf = ({ urgent, others }: Lane): Waiting | undefined => {
  const [next] = urgent.size > 0 ? urgent : others
  return next
}

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
