const steps = 4096

/** Sums by row number, and which rows have one. Made once per thread and reused, because there are many rows. */
export class RowScores {
  values = new Float64Array(0)
  #rows = new Uint32Array(0)
  #found = 0
  #best = 0

  /** Rows with a score, in the order of their first score. */
  get rows(): Uint32Array {
    return this.#rows.subarray(0, this.#found)
  }

  /** Empties it and allocates `count` rows. */
  reset(count: number): void {
    if (this.values.length < count) {
      this.values = new Float64Array(count)
      this.#rows = new Uint32Array(count)
    } else for (let i = 0; i < this.#found; i++) this.values[this.#rows[i] ?? 0] = 0
    this.#found = 0
    this.#best = 0
  }

  /** @param score above 0 */
  add(row: number, score: number): void {
    const sum = this.values[row] ?? 0
    if (sum === 0) this.#rows[this.#found++] = row
    this.values[row] = sum + score
    // Sums only grow, so the highest sum so far stays correct.
    if (sum + score > this.#best) this.#best = sum + score
  }

  /** Changes the scores of rows that have one. */
  replace(scores: ReadonlyMap<number, number>): void {
    for (const [row, score] of scores) this.values[row] = score
    const rows = this.rows
    this.#best = 0
    for (let i = 0; i < rows.length; i++) this.#best = Math.max(this.#best, this.values[rows[i] ?? 0] ?? 0)
  }

  /** The score at a rank from 1 on, or slightly below; 0 if there are fewer rows. */
  atRank(rank: number): number {
    const { values } = this
    const rows = this.rows
    const counts = new Uint32Array(steps + 1)
    const perScore = steps / this.#best
    for (let i = 0; i < rows.length; i++) {
      const step = Math.floor((values[rows[i] ?? 0] ?? 0) * perScore)
      counts[step] = (counts[step] ?? 0) + 1
    }
    let step = steps
    for (let found = counts[step] ?? 0; found < rank && step > 0; ) found += counts[--step] ?? 0
    return step / perScore
  }

  /** The rows with at least this score. */
  rowsFrom(score: number): Uint32Array {
    const { values } = this
    return this.rows.filter((row) => (values[row] ?? 0) >= score)
  }

  of(row: number): number {
    return this.values[row] ?? 0
  }

  get best(): number {
    return this.#best
  }
}
