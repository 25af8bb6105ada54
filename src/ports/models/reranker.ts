/** A hit of the retrieval, as a reranker receives it. */
export interface Rerankable {
  text: string
  /** 0..1, from the retrieval. */
  score: number
}

export interface Reranker {
  /** Names the reranker in traces. */
  model: string
  /** The number of best hits that it receives. */
  depth: number
  /**
   * How well each hit answers the query, 0..1, in order. It receives visible texts only. Throws when its provider
   * fails, or does not answer before the signal.
   */
  score(query: string, candidates: readonly Rerankable[], signal?: AbortSignal): Promise<number[]>
}
