import type { Candidate, IndexFilter, UnitIndex } from './index-filter.ts'

/** A match within a Unit's text: UTF-16 offsets, end exclusive. */
export interface Highlight {
  start: number
  end: number
}

/**
 * Full-text search over all planes of the filter at once, at most `limit`, best first; only matching Units.
 * A blank query matches every Unit that the filter lets through, with score 0.
 */
export interface TextIndex extends UnitIndex {
  search(query: string, filter: IndexFilter, limit: number): Promise<Candidate[]>
  /** Where words of the query stand in a text, by the same analysis as `search`; pure. */
  highlights(query: string, text: string): Highlight[]
}
