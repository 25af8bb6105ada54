/** A hit of the retrieval, as a reranker sees it. */
export interface Rerankable {
  text: string
  /** 0..1, from the retrieval. */
  score: number
}

export interface Reranker {
  /** Names the reranker in traces. */
  model: string
  /** How many of the best hits it is given. */
  depth: number
  /**
   * How well each answers the query, 0..1, in order. It sees visible texts alone. Throws when its provider fails, or does
   * not answer before the signal.
   */
  score(query: string, candidates: readonly Rerankable[], signal?: AbortSignal): Promise<number[]>
}
