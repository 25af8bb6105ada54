import type { Locator } from './unit.ts'

/** A verbatim piece of a Unit's text that supports an answer: `text.slice(start, end) === quote`. */
export interface Citation {
  /** The integer in `[n]`. */
  marker: number
  unitId: string
  quote: string
  /** UTF-16 offsets in the Unit's text, `end` exclusive. */
  start: number
  end: number
  /** The hash of the Unit's whole text in UTF-8, hex. */
  sha256: string
  locator: Locator | null
  sourceUri: string | null
}

/** How well the cited texts support the sentences of an answer, each 0..1. */
export interface Faithfulness {
  method: string
  /** The lowest score of a sentence; null for an abstention. */
  min: number | null
  /** The number of sentences that were kept although they are not supported. */
  unsupported: string[]
}

export interface Answer {
  /** With markers `[n]`; a fixed sentence for an abstention. */
  text: string
  citations: Citation[]
  /** The mean over the sentences; null for an abstention. */
  nliFaithfulness: number | null
  faithfulness: Faithfulness
  abstained: boolean
  /** The name of the writer. */
  model: string
}

/** How an answer was made. */
export interface AnswerTrace {
  /** The number of texts that the writer received. */
  passages: number
  /** The number of sentences that it wrote and that were removed because they had no support. */
  removed: number
  tookMs: number
}
