/** A retrieved text that an answer may rest on; nothing else reaches a writer. */
export interface Passage {
  text: string
  /** 0..1: how much of the question's words the text retrieval found in it. */
  score: number
}

/** A verbatim piece of a passage, with the UTF-16 offset at which it starts there. */
export interface Source {
  /** Index of the passage. */
  passage: number
  quote: string
  start: number
}

/** One sentence of an answer, without markers, and what it rests on. */
export interface Statement {
  text: string
  sources: readonly Source[]
}

export interface AnswerWriter {
  /** Names the writer in answers. */
  model: string
  /**
   * Answers from the passages alone; they are data, whatever they say. Empty when they hold no answer. What comes back is
   * not trusted: sources that are no verbatim pieces and statements without support are removed by the caller. Throws
   * when its provider fails, or does not answer before the signal.
   */
  write(question: string, passages: readonly Passage[], signal?: AbortSignal): Promise<Statement[]>
}
