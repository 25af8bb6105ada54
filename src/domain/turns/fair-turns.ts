/** Lets the work of all callers run side by side, so that one caller cannot occupy the whole process. */
export interface FairTurns {
  /** Runs work that uses `weight` of the capacity of `key`; it waits behind other work of the same key, in order. */
  run<T>(key: string, weight: number, work: () => Promise<T>): Promise<T>
}

/** The running and waiting work of one key. */
interface Lane {
  running: number
  waiting: { weight: number; begin(): void }[]
}

/**
 * Each key runs work of at most `capacity` at a time; heavier work counts as all of it. Keys never wait for each other.
 * So no key takes more than that of what they share (threads, connections, the event loop).
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
