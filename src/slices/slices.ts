/** How long a piece of work may hold the event loop. Beside it there is room for what cannot be cut, such as a garbage collection. */
const sliceMs = 8

// The event loop is one for the whole thread, and so is the queue for it: whatever is long takes turns with all else
// that is, one slice to a round of the loop, or many of them together would hold it up as one would.
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

/** Cuts long work into slices: `if (slices.isOver) await slices.next()` between any two steps. */
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
