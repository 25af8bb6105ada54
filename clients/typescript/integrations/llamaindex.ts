/** LlamaIndex.TS. */
import { BaseEmbedding } from '@llamaindex/core/embeddings'
import type { QueryBundle } from '@llamaindex/core/query-engine'
import { BaseRetriever } from '@llamaindex/core/retriever'
import { type BaseNode, MetadataMode, type NodeWithScore, ObjectType, TextNode } from '@llamaindex/core/schema'
import {
  BaseVectorStore,
  type MetadataFilter,
  type MetadataFilters,
  metadataDictToNode,
  nodeToMetadata,
  type VectorStoreQuery,
  type VectorStoreQueryResult,
} from '@llamaindex/core/vector-store'
import type { Client, Filters, SearchQuery } from 'multimodal-retrieval-client'
import { type Hit, idOf, type Selection, Store } from './store.ts'

/** Finds Units as nodes: the text, and in the metadata the Unit's own with `unit_id`, `scope`, `doc_id` and `source_uri`. */
export class Retriever extends BaseRetriever {
  readonly #store: Store

  constructor(selection: Selection) {
    super()
    this.#store = new Store(selection)
  }

  override async _retrieve({ query }: QueryBundle): Promise<NodeWithScore[]> {
    const hits = await this.#store.search({ q: textOf(query) })
    return hits.map((hit) => {
      const { score, unit_id, scope, doc_id, source_uri } = hit
      const node = nodeOf(hit)
      Object.assign(node.metadata, { unit_id, scope, doc_id, source_uri })
      return { node, score }
    })
  }
}

const textOf = (query: QueryBundle['query']): string =>
  typeof query === 'string' ? query : query.map((part) => (part.type === 'text' ? part.text : '')).join(' ')

/**
 * The Units of a scope as nodes, whose ids are external ids, and whose source is the `doc_id`. The service embeds texts and
 * ranks by words and meaning. With an `embedModel` of yours its vectors do, and mode `hybrid` ranks by both.
 */
export class VectorStore extends BaseVectorStore<Client> {
  override storesText = true
  readonly #store: Store
  readonly #client: Client
  readonly #ownVectors: boolean

  constructor({ embedModel, ...selection }: Selection & { embedModel?: BaseEmbedding }) {
    super({ embedModel: embedModel ?? new NoEmbedding() })
    this.#ownVectors = embedModel !== undefined
    this.#client = selection.client
    this.#store = new Store(selection)
  }

  override client(): Client {
    return this.#client
  }

  override async add(nodes: BaseNode[]): Promise<string[]> {
    return this.#store.write(
      nodes.map((node) => {
        const { document_id, doc_id, ref_doc_id, ...metadata } = nodeToMetadata(node, true)
        const source = node.sourceNode?.nodeId
        const text = node.getContent(MetadataMode.NONE)
        const own = { ...(source && { doc_id: source }), ...(this.#ownVectors && { vector: node.getEmbedding() }) }
        return { external_id: node.id_, text, metadata, ...own }
      }),
    )
  }

  /** All nodes of a document. */
  override async delete(refDocId: string): Promise<void> {
    await this.#store.delete({ filter: { doc_id: refDocId } })
  }

  async deleteNodes(ids: string[]): Promise<void> {
    await this.#store.delete({ ids })
  }

  override async query(query: VectorStoreQuery): Promise<VectorStoreQueryResult> {
    const hits = await this.#store.search(this.#searchOf(query), query.similarityTopK)
    const nodes = hits.map(nodeOf)
    return { nodes, similarities: hits.map(({ score }) => score), ids: hits.map(idOf) }
  }

  #searchOf({
    queryStr = '',
    queryEmbedding,
    mode,
    alpha,
    mmrThreshold,
    docIds,
    filters,
  }: VectorStoreQuery): SearchQuery {
    if (/^svm|regression$/.test(mode)) throw new Error(`mode ${mode} is not supported`)
    const parts = [
      ...(docIds ? [{ doc_id: { in: docIds } }] : []),
      ...(filters?.filters.length ? [filterOf(filters)] : []),
    ]
    const byVector = this.#ownVectors && queryEmbedding !== undefined && mode !== 'sparse'
    const byBoth = mode === 'hybrid' || mode === 'semantic_hybrid'
    return {
      ...(parts.length > 0 && { filters: { and: parts } }),
      ...((!byVector || byBoth) && { q: queryStr }),
      ...(byVector && { vector: { text: queryEmbedding } }),
      ...(byVector && byBoth && alpha !== undefined && { vector_weight: alpha > 0.99 ? 100 : alpha / (1 - alpha) }),
      ...(mode === 'mmr' && { diversity: 1 - (mmrThreshold ?? 0.5) }),
    }
  }
}

/** The service embeds what comes without a vector. */
class NoEmbedding extends BaseEmbedding {
  // biome-ignore lint/complexity/noUselessConstructor: that of the base is protected
  constructor() {
    super()
  }

  override async getTextEmbedding(): Promise<number[]> {
    return []
  }
}

function nodeOf(hit: Hit): BaseNode {
  const { _node_content: kept, _node_type: _, ...metadata } = hit.metadata
  if (typeof kept !== 'string') return new TextNode({ id_: idOf(hit), text: hit.text ?? '', metadata })
  const node = metadataDictToNode(hit.metadata)
  if (node.type === ObjectType.TEXT || node instanceof TextNode) node.setContent(hit.text ?? '')
  return node
}

const operators = {
  '==': 'eq',
  '!=': 'ne',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
  in: 'in',
  nin: 'nin',
  any: 'in',
  all: 'all',
  contains: 'contains',
  text_match: 'contains',
} as const

/** A filter of LlamaIndex as the service's. */
const filterOf = ({ filters, condition = 'and' }: MetadataFilters): Filters => ({ [condition]: filters.map(partOf) })

function partOf({ key, value, operator }: MetadataFilter): Filters {
  const condition = operator === 'is_empty' ? { exists: false } : { [operators[operator]]: value }
  if (/^(doc|ref_doc|document)_id$/.test(key)) return { doc_id: condition }
  return { metadata: { [key.replace(/[\\.]/g, '\\$&')]: condition } }
}
