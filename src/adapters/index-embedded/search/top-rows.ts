export interface RankedRow {
  row: number
  score: number
}

/** Negative when the first of two rows with the same score ranks before the other. */
export type BreakTies = (rowA: number, rowB: number) => number

/** Keeps the best `limit` of the given rows. */
export class TopRows {
  readonly #limit: number
  readonly #breakTies: BreakTies
  // A binary heap with the worst kept row at its root.
  readonly #heap: RankedRow[] = []

  constructor(limit: number, breakTies: BreakTies) {
    this.#limit = limit
    this.#breakTies = breakTies
  }

  offer(row: number, score: number): void {
    const heap = this.#heap
    if (heap.length < this.#limit) {
      heap.push({ row, score })
      this.#up(heap.length - 1)
      return
    }
    const worst = heap[0]
    if (worst === undefined || score < worst.score) return
    const offered = { row, score }
    if (this.#compare(offered, worst) > 0) return
    heap[0] = offered
    this.#down(0)
  }

  /** Best first. */
  ranked(): RankedRow[] {
    return this.#heap.toSorted((a, b) => this.#compare(a, b))
  }

  /** Negative when `a` ranks before `b`. */
  #compare(a: RankedRow, b: RankedRow): number {
    return b.score - a.score || this.#breakTies(a.row, b.row)
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
    return x !== undefined && y !== undefined && this.#compare(x, y) > 0
  }

  #swap(a: number, b: number): void {
    const [x, y] = [this.#heap[a], this.#heap[b]]
    if (x === undefined || y === undefined) return
    this.#heap[a] = y
    this.#heap[b] = x
  }
}
