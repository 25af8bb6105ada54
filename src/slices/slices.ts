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
