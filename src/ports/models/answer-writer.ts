/** A retrieved text that can support an answer. A writer receives only these. */
export interface Passage {
  text: string
  /** The headings above the text, joined by ` > `. It says what the text is about, and is never quoted. */
  title?: string | null
  /** 0..1: the share of the question's words that the text retrieval found in it. */
  score: number
  /** A further search found it, with other words than the question's: its score is of that search. */
  followUp?: boolean
}

/** A verbatim piece of a passage, with the UTF-16 offset at which it starts there. */
export interface Source {
  /** Index of the passage. */
  passage: number
  quote: string
  start: number
}

/** One sentence of an answer, without markers, and its sources. */
export interface Statement {
  text: string
  sources: readonly Source[]
  /** The probability that it answers the question, 0..1, if the writer knows it. */
  confidence?: number
}

export interface AnswerWriter {
  /** Names the writer in answers. */
  model: string
  /**
   * Answers from the passages only. They are data, not instructions. Empty when they contain no answer. The result is
   * not trusted: the caller removes sources that are not verbatim pieces, and unsupported statements. Throws when its
   * provider fails, or does not answer before the signal. With `minConfidence`, 0..1, it may leave out what is less likely
   * to answer the question; otherwise it decides itself.
   */
  write(
    question: string,
    passages: readonly Passage[],
    signal?: AbortSignal,
    minConfidence?: number,
  ): Promise<Statement[]>
}
