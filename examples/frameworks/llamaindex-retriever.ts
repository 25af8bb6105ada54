/** The service as a retriever of LlamaIndex.TS. */
import type { QueryBundle } from '@llamaindex/core/query-engine'
import { BaseRetriever } from '@llamaindex/core/retriever'
import { type NodeWithScore, TextNode } from '@llamaindex/core/schema'

interface Hit {
  unit_id: string
  text: string | null
  score: number
  doc_id: string | null
  metadata: Record<string, unknown>
}

export class RetrievalRetriever extends BaseRetriever {
  readonly #options: { url: string; token: string; topK?: number }

  constructor(options: { url: string; token: string; topK?: number }) {
    super()
    this.#options = options
  }

  override async _retrieve({ query }: QueryBundle): Promise<NodeWithScore[]> {
    const { url, token, topK = 10 } = this.#options
    const response = await fetch(new URL('/v1/search', url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ q: query, top_k: topK }),
    })
    const { hits = [], detail } = (await response.json()) as { hits?: Hit[]; detail?: string }
    if (!response.ok) throw new Error(detail)
    return hits.map(({ unit_id, text, score, doc_id, metadata }) => ({
      node: new TextNode({ id_: unit_id, text: text ?? '', metadata: { ...metadata, doc_id } }),
      score,
    }))
  }
}
