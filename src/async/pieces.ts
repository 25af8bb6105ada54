interface BatchLimits<T> {
  maxItems?: number
  maxSize?: number
  /** The size of a batch with this item as its last one; `before` is the size of the `count` items before it. */
  sizeWith?(item: T, before: number, count: number): number
}

/** Runs of items within the limits, in order. An item that is too large by itself is a separate run. */
export function batchesOf<T>(
  items: readonly T[],
  { maxItems = Number.POSITIVE_INFINITY, maxSize = Number.POSITIVE_INFINITY, sizeWith = () => 0 }: BatchLimits<T>,
): T[][] {
  const batches: T[][] = []
  let size = 0
  for (const item of items) {
    const last = batches.at(-1)
    const together = last ? sizeWith(item, size, last.length) : 0
    if (last && last.length < maxItems && together <= maxSize) {
      last.push(item)
      size = together
    } else {
      batches.push([item])
      size = sizeWith(item, 0, 0)
    }
  }
  return batches
}

/** Runs the work for each item, `parallel` at a time. After a failure no item starts. One promise per worker. */
function workers<T>(
  items: Iterable<T> | AsyncIterable<T>,
  parallel: number,
  work: (item: T) => Promise<void>,
): Promise<void>[] {
  const pending = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  let failed = false
  const worker = async () => {
    try {
      for (let next = await pending.next(); !next.done && !failed; next = await pending.next()) await work(next.value)
    } catch (error) {
      failed = true
      throw error
    }
  }
  return Array.from({ length: parallel }, worker)
}

/** Waits until no work is running, then ends or throws the first failure. */
export async function forEachFew<T>(
  items: Iterable<T> | AsyncIterable<T>,
  parallel: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  await allEnded(workers(items, parallel, work))
}

/** The results of all batches in the order of the items. Throws at the first failure; other work may still run. */
export async function mapBatches<T, R>(
  batches: readonly T[][],
  parallel: number,
  work: (batch: T[]) => Promise<R[]>,
): Promise<R[]> {
  const results: R[][] = []
  await Promise.all(
    workers(batches.entries(), Math.min(parallel, batches.length), async ([i, batch]) => {
      results[i] = await work(batch)
    }),
  )
  return results.flat()
}

/** As `Promise.all`, but if one fails, waits for the others before it throws. */
export async function allEnded<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works)
  return Promise.all(works)
}

/**
 * How long a piece of work may block the event loop. It leaves time for work that cannot be cut, such as garbage
 * collection.
 */
const sliceMs = 8

// The whole thread shares one event loop, so it also shares one queue. All long work takes turns: one slice per round
// of the loop. Otherwise many slices together would block the loop as long as one large piece of work.
const waiting: (() => void)[] = []

function resumeNext(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(resumeNext)
}

/** Resolves in a later round of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(resumeNext)
  })
}

/** Cuts long work into slices: `if (slices.isOver) await slices.next()` between two steps. */
export class Slices {
  #began = performance.now()

  get isOver(): boolean {
    return performance.now() - this.#began >= sliceMs
  }

  async next(): Promise<void> {
    await turn()
    this.#began = performance.now()
  }
}

/** `items.map(work)` in slices. */
export async function mapInSlices<T, R>(items: readonly T[], work: (item: T, index: number) => R): Promise<R[]> {
  const results: R[] = []
  const slices = new Slices()
  for (let i = 0; i < items.length; i++) {
    results.push(work(items[i] as T, i))
    if (slices.isOver) await slices.next()
  }
  return results
}
