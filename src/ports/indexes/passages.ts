import type { Unit } from '../../model/unit.ts'
import type { Highlight, Sought } from './text-index.ts'

/** A part of a Unit's text. Offsets are in the whole text, in UTF-16, ends exclusive. */
export interface Passage {
  start: number
  end: number
  /** Where words of the query occur: ascending, never overlapping. */
  highlights: Highlight[]
}

/**
 * Finds the parts of texts that match a query, with the analysis of the text index. A long text does not block the
 * event loop.
 */
export interface Passages {
  /**
   * The part of at most `maxBytes` bytes of UTF-8 that matches the query best; the whole text if it fits. What is known of
   * the text is kept with the Unit, which must not change.
   */
  find(query: Sought, unit: Pick<Unit, 'text' | 'language'>, maxBytes: number): Promise<Passage>
}
