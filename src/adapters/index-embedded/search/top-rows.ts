/** Rows and their scores, best first. */
export interface Ranked {
  rows: Uint32Array
  scores: Float64Array
}

export const nothing: Ranked = { rows: new Uint32Array(0), scores: new Float64Array(0) }

/** Negative when the first of two rows with the same score ranks before the other. */
export type BreakTies = (rowA: number, rowB: number) => number

/** The best `limit` of some rows. */
export function bestOf(
  limit: number,
  rows: Uint32Array,
  scoreOf: (row: number) => number,
  breakTies: BreakTies,
): Ranked {
  const best = new TopRows(limit, rows.length, breakTies)
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] ?? 0
    best.offer(row, scoreOf(row))
  }
  return best.ranked()
}

/** Keeps the best `limit` of the given rows. */
export class TopRows {
  readonly #limit: number
  readonly #breakTies: BreakTies
  // A binary heap with the worst kept row at its root.
  readonly #rows: Uint32Array
  readonly #scores: Float64Array
  #size = 0

  /** @param offers no fewer than there will be */
  constructor(limit: number, offers: number, breakTies: BreakTies) {
    this.#limit = Math.min(limit, offers)
    this.#breakTies = breakTies
    this.#rows = new Uint32Array(this.#limit)
    this.#scores = new Float64Array(this.#limit)
  }

  offer(row: number, score: number): void {
    if (this.#size < this.#limit) {
      this.#up(this.#size++, row, score)
      return
    }
    if (this.#size === 0 || score < (this.#scores[0] ?? 0)) return
    if (this.#isWorse(row, score, 0)) return
    this.#down(this.#size, row, score)
  }

  /** Empties it. */
  ranked(): Ranked {
    const [rows, scores] = [new Uint32Array(this.#size), new Float64Array(this.#size)]
    while (this.#size > 0) {
      const last = --this.#size
      rows[last] = this.#rows[0] ?? 0
      scores[last] = this.#scores[0] ?? 0
      this.#down(last, this.#rows[last] ?? 0, this.#scores[last] ?? 0)
    }
    return { rows, scores }
  }

  /** Whether a row ranks after the kept one at a place, or is the same. */
  #isWorse(row: number, score: number, at: number): boolean {
    const other = this.#scores[at] ?? 0
    return score < other || (score === other && this.#breakTies(row, this.#rows[at] ?? 0) >= 0)
  }

  #up(from: number, row: number, score: number): void {
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#isWorse(row, score, parent)) break
      this.#put(at, this.#rows[parent] ?? 0, this.#scores[parent] ?? 0)
      at = parent
    }
    this.#put(at, row, score)
  }

  /** Puts a row in place of the root of the first `size`. */
  #down(size: number, row: number, score: number): void {
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      const right = child + 1
      if (right < size && this.#isWorse(this.#rows[right] ?? 0, this.#scores[right] ?? 0, child)) child = right
      if (this.#isWorse(row, score, child)) break
      this.#put(at, this.#rows[child] ?? 0, this.#scores[child] ?? 0)
      at = child
    }
    this.#put(at, row, score)
  }

  #put(at: number, row: number, score: number): void {
    this.#rows[at] = row
    this.#scores[at] = score
  }
}
