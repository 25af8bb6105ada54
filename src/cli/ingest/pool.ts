/** Runs `work` on each item, in order. After an error, or when it is stopped, no more is begun; the error is thrown. */
export async function inPool<T>(
  items: readonly T[],
  { concurrency }: { concurrency: number },
  stop: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values()
  const errors: unknown[] = []
  const worker = async () => {
    for (const item of left) {
      if (errors.length > 0 || stop.aborted) return
      await work(item).catch((error: unknown) => errors.push(error))
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker))
  if (errors.length > 0) throw errors[0]
}
