import type { Candidate, IndexFilter, UnitIndex } from './index-filter.ts'

/** A match within a Unit's text: UTF-16 offsets, end exclusive. */
export interface Highlight {
  start: number
  end: number
}

export interface TextQuery {
  text: string
  /** How many hits are wanted in the end: an engine may spare itself the care for ranks beyond. */
  topK: number
  /** Only a count is wanted: over many Units, a ranking that is nearly right will do. */
  rough?: boolean
}

/**
 * Full-text search over all planes of the filter at once, at most `limit`, best first; only Units that share something
 * with the query. Scores are 0..1: the best one's says how well it matches, by a measure that is the same for all
 * queries. A blank query matches every Unit that the filter lets through, with score 0.
 */
export interface TextIndex extends UnitIndex {
  search(query: TextQuery, filter: IndexFilter, limit: number): Promise<Candidate[]>
  /** Where words of the query stand in a text, by the same analysis as `search`; pure. */
  highlights(query: string, text: string): Highlight[]
}
