/** The rows that hold a term, ascending, and how often each does. */
export interface Posting {
  rows: number[]
  counts: number[]
}

/** One field's inverted index over the rows of a shard. */
export class InvertedField {
  #postings = new Map<string, Posting>()
  /** By row number: how many terms the field has there. */
  #lengths: number[] = []

  posting(term: string): Posting | undefined {
    return this.#postings.get(term)
  }

  length(row: number): number {
    return this.#lengths[row] ?? 0
  }

  /** Rows are added in ascending order. */
  add(row: number, terms: readonly string[]): void {
    this.#lengths[row] = terms.length
    for (const term of terms) {
      const posting = this.#postings.get(term) ?? { rows: [], counts: [] }
      this.#postings.set(term, posting)
      const last = posting.rows.length - 1
      if (posting.rows[last] === row) posting.counts[last] = (posting.counts[last] ?? 0) + 1
      else {
        posting.rows.push(row)
        posting.counts.push(1)
      }
    }
  }

  /** Follows a compaction: new row numbers by old ones, -1 for rows that are gone. */
  renumber(renumbered: Int32Array): void {
    const lengths: number[] = []
    renumbered.forEach((row, old) => {
      if (row >= 0) lengths[row] = this.length(old)
    })
    const postings = new Map<string, Posting>()
    for (const [term, old] of this.#postings) {
      const kept: Posting = { rows: [], counts: [] }
      old.rows.forEach((row, i) => {
        const number = renumbered[row] ?? -1
        if (number < 0) return
        kept.rows.push(number)
        kept.counts.push(old.counts[i] ?? 0)
      })
      if (kept.rows.length > 0) postings.set(term, kept)
    }
    this.#lengths = lengths
    this.#postings = postings
  }
}
