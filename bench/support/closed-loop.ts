/** Latencies in milliseconds; throughput in operations per second. */
export interface Timings {
  count: number
  seconds: number
  perSecond: number
  p50: number
  p95: number
}

/** The first limit ends a loop; a started operation always completes and counts. */
export interface Limit {
  count?: number
  seconds?: number
}

/**
 * Each client sends its next operation after the answer to its last one. All share one counter, which selects the next
 * operation. The first failed operation fails the loop.
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

/** The `q` quantile of the values; NaN without values. */
function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}
