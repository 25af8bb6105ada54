/** LangChain.js. */
import { Document, type DocumentInterface } from '@langchain/core/documents'
import type { EmbeddingsInterface } from '@langchain/core/embeddings'
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers'
import { VectorStore as BaseVectorStore, type MaxMarginalRelevanceSearchOptions } from '@langchain/core/vectorstores'
import type { Filters, SearchQuery } from 'multimodal-retrieval-client'
import { type Hit, idOf, type Selection, Store } from './store.ts'

/**
 * Finds Units as documents: the text, and in the metadata the Unit's own with `score`, `unit_id`, `scope`, `doc_id` and
 * `source_uri`.
 */
export class Retriever extends BaseRetriever {
  readonly lc_namespace = ['multimodal_retrieval']
  readonly #store: Store

  constructor(fields: Selection & BaseRetrieverInput) {
    super(fields)
    this.#store = new Store(fields)
  }

  override async _getRelevantDocuments(query: string): Promise<DocumentInterface[]> {
    const hits = await this.#store.search({ q: query })
    return hits.map((hit) => {
      const { score, unit_id, scope, doc_id, source_uri } = hit
      return documentOf(hit, { score, unit_id, scope, doc_id, source_uri })
    })
  }
}

const documentOf = (hit: Hit, own: Record<string, unknown> = {}): Document =>
  new Document({ id: idOf(hit), pageContent: hit.text ?? '', metadata: { ...hit.metadata, ...own } })

type WithIds = { ids?: string[] }

/**
 * The Units of a scope as documents, whose ids are external ids. The service embeds texts and ranks by words and meaning.
 * With `embeddings` of yours their vectors alone rank.
 */
export class VectorStore extends BaseVectorStore {
  declare FilterType: Filters
  readonly #store: Store
  readonly #ownVectors: boolean

  constructor({ embeddings, ...selection }: Selection & { embeddings?: EmbeddingsInterface }) {
    super(embeddings ?? noEmbeddings, {})
    this.#store = new Store(selection)
    this.#ownVectors = embeddings !== undefined
  }

  override _vectorstoreType(): string {
    return 'multimodal_retrieval'
  }

  override async addDocuments(documents: DocumentInterface[], options?: WithIds): Promise<string[]> {
    const texts = documents.map(({ pageContent }) => pageContent)
    return this.addVectors(this.#ownVectors ? await this.embeddings.embedDocuments(texts) : [], documents, options)
  }

  /** Documents without an id get one. */
  override async addVectors(vectors: number[][], documents: DocumentInterface[], { ids }: WithIds = {}) {
    const units = documents.map(({ id = crypto.randomUUID(), pageContent: text, metadata }, i) => {
      const vector = vectors[i]
      return { external_id: ids?.[i] ?? id, text, metadata, ...(vector && { vector }) }
    })
    return this.#store.write(units)
  }

  override async delete(which: { ids?: string[]; filter?: Filters }): Promise<void> {
    await this.#store.delete(which)
  }

  override async similaritySearchVectorWithScore(vector: number[], k: number, filter?: Filters) {
    return this.#find({ vector: { text: vector } }, k, filter)
  }

  override async similaritySearchWithScore(query: string, k = 4, filter?: Filters) {
    return this.#find(await this.#queryOf(query), k, filter)
  }

  override async similaritySearch(query: string, k = 4, filter?: Filters) {
    return (await this.similaritySearchWithScore(query, k, filter)).map(([document]) => document)
  }

  override async maxMarginalRelevanceSearch(query: string, options: MaxMarginalRelevanceSearchOptions<Filters>) {
    const { k, lambda = 0.5, filter } = options
    const found = await this.#find({ ...(await this.#queryOf(query)), diversity: 1 - lambda }, k, filter)
    return found.map(([document]) => document)
  }

  async #queryOf(q: string): Promise<SearchQuery> {
    return this.#ownVectors ? { vector: { text: await this.embeddings.embedQuery(q) } } : { q }
  }

  async #find(query: SearchQuery, k: number, filters?: Filters): Promise<[Document, number][]> {
    const hits = await this.#store.search({ ...query, ...(filters && { filters }) }, k)
    return hits.map((hit) => [documentOf(hit), hit.score])
  }

  static override async fromDocuments(
    documents: DocumentInterface[],
    embeddings: EmbeddingsInterface | undefined,
    selection: Selection,
  ): Promise<VectorStore> {
    const store = new VectorStore({ ...selection, ...(embeddings && { embeddings }) })
    await store.addDocuments(documents)
    return store
  }

  static override async fromTexts(
    texts: string[],
    metadatas: object[] | object,
    embeddings: EmbeddingsInterface | undefined,
    selection: Selection,
  ): Promise<VectorStore> {
    const own = (i: number) => ({ ...(Array.isArray(metadatas) ? metadatas[i] : metadatas) })
    const documents = texts.map((pageContent, i) => new Document({ pageContent, metadata: own(i) }))
    return VectorStore.fromDocuments(documents, embeddings, selection)
  }
}

const refuse = async () => {
  throw new Error('the service embeds: this store has no embeddings of its own')
}
const noEmbeddings: EmbeddingsInterface = { embedQuery: refuse, embedDocuments: refuse }
