/** What a Unit takes, on average. */
export interface Costs {
  /** Rows of all tables of the catalog. */
  rows: number
  /** Bytes of them on a server, with their indexes. */
  bytes: number
  /** Bytes of the embedded index in memory, with texts and vectors. */
  indexBytes: number
}

/** At a million Units of 40 words, each with a vector of 384 numbers, on PostgreSQL 15, 2026-11-25. */
export const recorded: Costs = { rows: 2.002, bytes: 3019, indexBytes: 2304 }
