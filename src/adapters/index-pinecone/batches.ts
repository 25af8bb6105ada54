/** What Pinecone takes in one request (https://docs.pinecone.io/reference/api/database-limits/operation-limits). */
export const most = { records: 1000, bytes: 2_000_000, idsInAddress: 100 } as const

/** How many requests to one index are under way at once. */
const parallel = 4

/** Runs of at most so many items, and of at most so many bytes where a size is given, in order. */
export function batchesOf<T>(items: readonly T[], mostItems: number, sizeOf: (item: T) => number = () => 0): T[][] {
  const batches: T[][] = []
  let bytes = 0
  for (const item of items) {
    const size = sizeOf(item)
    const last = batches.at(-1)
    if (last && last.length < mostItems && bytes + size <= most.bytes) {
      last.push(item)
      bytes += size
    } else {
      batches.push([item])
      bytes = size
    }
  }
  return batches
}

/** Runs the work for each item, a few at a time; after a failure none is begun. Ends when nothing is under way. */
export async function forEachFew<T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
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
  await allEnded(Array.from({ length: parallel }, worker))
}

/** As `Promise.all`, but when one fails, the others are waited for before it is thrown. */
export async function allEnded<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works)
  return Promise.all(works)
}
