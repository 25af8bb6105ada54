/** Lets everyone's work run side by side, but no one's alone fill the process. */
export interface FairTurns {
  /** Runs work that takes up `weight` of what `key` may have running at once; it waits behind its own, in order. */
  run<T>(key: string, weight: number, work: () => Promise<T>): Promise<T>
}

/** What one key has running and waiting. */
interface Lane {
  running: number
  waiting: { weight: number; begin(): void }[]
}

/**
 * Of each key work of at most `capacity` runs at a time; heavier work counts as all of it. Keys never wait for each other:
 * what they share (threads, connections, the event loop) is then never taken by more than that of any of them.
 */
export function createFairTurns(capacity: number): FairTurns {
  const lanes = new Map<string, Lane>()

  const beginNext = (key: string, lane: Lane): void => {
    for (let next = lane.waiting[0]; next && fits(lane, next.weight, capacity); next = lane.waiting[0]) {
      lane.waiting.shift()
      lane.running += next.weight
      next.begin()
    }
    if (lane.running === 0) lanes.delete(key)
  }

  return {
    run: async (key, heavy, work) => {
      const weight = Math.min(heavy, capacity)
      const lane = lanes.get(key) ?? { running: 0, waiting: [] }
      lanes.set(key, lane)
      await new Promise<void>((begin) => {
        lane.waiting.push({ weight, begin })
        beginNext(key, lane)
      })
      try {
        return await work()
      } finally {
        lane.running -= weight
        beginNext(key, lane)
      }
    },
  }
}

const fits = ({ running }: Lane, weight: number, capacity: number) => running + weight <= capacity
