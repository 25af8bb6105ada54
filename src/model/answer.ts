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

/** A sentence of an answer, with its markers. */
export interface AnswerSentence {
  /** From 0. */
  index: number
  text: string
  /** Those of its markers. */
  citations: Citation[]
  /** 0..1. */
  faithfulness: number
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
  /** Joined by one space, their texts are `text`; none for an abstention. */
  sentences: AnswerSentence[]
  /** The mean over the sentences; null for an abstention. */
  nliFaithfulness: number | null
  /** The probability that it answers the question, 0..1, calibrated; null for an abstention. */
  confidence: number | null
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
  /** The searches, the question's own first. */
  steps: AnswerStep[]
  tookMs: number
}

/** One search of an answer. */
export interface AnswerStep {
  query: string
  /** The number of Units that it found. */
  hits: number
  /** How many of them no search before it brought, and the answer could rest on. */
  kept: number
  tookMs: number
}
