import type { Locator } from './unit.ts'

/** A verbatim piece of a Unit's text that an answer rests on: `text.slice(start, end) === quote`. */
export interface Citation {
  /** The integer in `[n]`. */
  marker: number
  unitId: string
  quote: string
  /** UTF-16 offsets in the Unit's text, `end` exclusive. */
  start: number
  end: number
  /** Of the Unit's whole text in UTF-8, hex. */
  sha256: string
  locator: Locator | null
  sourceUri: string | null
}

/** How well the sentences of an answer follow from what they cite, each 0..1. */
export interface Faithfulness {
  method: string
  /** The worst sentence's; null for an abstention. */
  min: number | null
  /** Sentences that were kept though they are not supported. */
  unsupported: string[]
}

export interface Answer {
  /** With markers `[n]`; for an abstention a fixed sentence. */
  text: string
  citations: Citation[]
  /** The mean over the sentences; null for an abstention. */
  nliFaithfulness: number | null
  faithfulness: Faithfulness
  abstained: boolean
  /** Who wrote it. */
  model: string
}

/** How an answer came about. */
export interface AnswerTrace {
  /** Texts that the writer was given. */
  passages: number
  /** Sentences that it wrote and that were removed for want of support. */
  removed: number
  tookMs: number
}
