/** Runs of at most `most` items, in order. */
export const batchesOf = <T>(items: readonly T[], most: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / most) }, (_, i) => items.slice(i * most, (i + 1) * most))

/** The results of all batches in order, `parallel` of them at a time. After a failure no further one begins. */
export async function inBatches<T, R>(
  batches: readonly T[][],
  parallel: number,
  run: (batch: T[]) => Promise<R[]>,
): Promise<R[]> {
  const results: R[][] = []
  const pending = batches.entries()
  let failed = false
  const work = async () => {
    for (const [i, batch] of pending) {
      if (failed) return
      results[i] = await run(batch).catch((error) => {
        failed = true
        throw error
      })
    }
  }
  await Promise.all(Array.from({ length: Math.min(parallel, batches.length) }, work))
  return results.flat()
}
