import type { Candidate } from '../../ports/index-filter.ts'

/** Keeps the best `limit` candidates of those offered: by score, ties by ascending unitId (code units). */
export class TopK {
  readonly #limit: number
  // A binary heap with the worst kept candidate at its root.
  readonly #heap: Candidate[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  offer(unitId: string, score: number): void {
    const heap = this.#heap
    if (heap.length < this.#limit) {
      heap.push({ unitId, score })
      this.#up(heap.length - 1)
      return
    }
    const worst = heap[0]
    if (worst === undefined || score < worst.score) return
    const candidate = { unitId, score }
    if (!precedes(candidate, worst)) return
    heap[0] = candidate
    this.#down(0)
  }

  /** Best first. */
  ranked(): Candidate[] {
    return this.#heap.toSorted((a, b) => (precedes(a, b) ? -1 : 1))
  }

  #up(from: number): void {
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#worse(at, parent)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  #down(from: number): void {
    let at = from
    for (;;) {
      let worst = at
      for (const child of [2 * at + 1, 2 * at + 2]) if (this.#worse(child, worst)) worst = child
      if (worst === at) return
      this.#swap(at, worst)
      at = worst
    }
  }

  #worse(a: number, b: number): boolean {
    const [x, y] = [this.#heap[a], this.#heap[b]]
    return x !== undefined && y !== undefined && precedes(y, x)
  }

  #swap(a: number, b: number): void {
    const [x, y] = [this.#heap[a], this.#heap[b]]
    if (x === undefined || y === undefined) return
    this.#heap[a] = y
    this.#heap[b] = x
  }
}

function precedes(a: Candidate, b: Candidate): boolean {
  return a.score !== b.score ? a.score > b.score : a.unitId < b.unitId
}
