/** What a Unit takes, on average. */
export interface Costs {
  /** Rows of all tables of the catalog. */
  rows: number
  /** Bytes of them on a server, with their indexes. */
  bytes: number
  /** Bytes of the embedded index in memory, with texts and vectors. */
  indexBytes: number
}

/** At 100,000 Units of 40 words, each with a vector of 384 numbers, on PostgreSQL 15, 2026-11-23. */
export const recorded: Costs = { rows: 2.006, bytes: 3013, indexBytes: 2294 }
