/** Latencies in milliseconds; throughput in operations per second. */
export interface Timings {
  count: number
  seconds: number
  perSecond: number
  p50: number
  p95: number
}

/** Whichever is reached first ends a loop; a started operation is always finished and counted. */
export interface Limit {
  count?: number
  seconds?: number
}

/**
 * Each client sends its next operation once its last one is answered. They share one counter, which says which
 * operation comes next. The first operation that fails fails the loop.
 */
export async function closedLoop(
  clients: readonly ((i: number) => Promise<unknown>)[],
  limit: Limit,
): Promise<Timings> {
  const { count = Number.POSITIVE_INFINITY, seconds = Number.POSITIVE_INFINITY } = limit
  const took: number[] = []
  const start = performance.now()
  const end = start + seconds * 1000
  let next = 0
  await Promise.all(
    clients.map(async (send) => {
      while (next < count && performance.now() < end) {
        const begun = performance.now()
        await send(next++)
        took.push(performance.now() - begun)
      }
    }),
  )
  const elapsed = (performance.now() - start) / 1000
  return {
    count: took.length,
    seconds: elapsed,
    perSecond: took.length / elapsed,
    p50: quantile(took, 0.5),
    p95: quantile(took, 0.95),
  }
}

/** The value below which the share `q` of the values lies; NaN for none. */
function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}
