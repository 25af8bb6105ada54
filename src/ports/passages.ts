import type { Highlight } from './text-index.ts'

/** A stretch of a Unit's text; offsets are of the whole text, in UTF-16, ends exclusive. */
export interface Passage {
  start: number
  end: number
  /** Where words of the query stand in it: ascending, never overlapping. */
  highlights: Highlight[]
}

/** Finds what texts say of a query, by the analysis of the text index. A long text does not hold up the event loop. */
export interface Passages {
  /** The stretch of at most `maxBytes` bytes of UTF-8 that says most of the query; the whole text where it fits. */
  find(query: string, text: string, maxBytes: number): Promise<Passage>
}
