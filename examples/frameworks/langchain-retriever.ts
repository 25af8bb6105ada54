/** The service as a retriever of LangChain.js. */
import type { DocumentInterface } from '@langchain/core/documents'
import { BaseRetriever } from '@langchain/core/retrievers'

interface Hit {
  unit_id: string
  text: string | null
  score: number
  doc_id: string | null
  metadata: Record<string, unknown>
}

export class RetrievalRetriever extends BaseRetriever {
  readonly lc_namespace = ['multimodal-retrieval']
  readonly #options: { url: string; token: string; topK?: number }

  constructor(options: { url: string; token: string; topK?: number }) {
    super()
    this.#options = options
  }

  override async _getRelevantDocuments(query: string): Promise<DocumentInterface[]> {
    const { url, token, topK = 10 } = this.#options
    const response = await fetch(new URL('/v1/search', url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ q: query, top_k: topK }),
    })
    const { hits = [], detail } = (await response.json()) as { hits?: Hit[]; detail?: string }
    if (!response.ok) throw new Error(detail)
    return hits.map(({ unit_id: id, text, score, doc_id, metadata }) => ({
      id,
      pageContent: text ?? '',
      metadata: { ...metadata, doc_id, score },
    }))
  }
}
