import type {
  Client,
  Filters,
  RequestOptions,
  SearchAnswer,
  SearchQuery,
  Unit,
  UnitInput,
} from 'multimodal-retrieval-client'

export type Hit = SearchAnswer['hits'][number]

/** What selects of all that the caller may read. */
export interface Selection {
  client: Client
  /** Hits at most. Default: 10. */
  k?: number
  filters?: Filters
  /** Default: that of the client. */
  scope?: string
  /** Hits with a lower score are left out. */
  minScore?: number
}

const batch = 500
const page = 50

/** Where stores keep their documents: their ids are the Units' external ids. Searches know what was written here. */
export class Store {
  #seq = 0
  readonly #selection: Selection

  constructor(selection: Selection) {
    this.#selection = selection
  }

  get #options(): RequestOptions {
    const { scope } = this.#selection
    return { ...(scope && { scope }), ...(this.#seq > 0 && { afterSeq: this.#seq }) }
  }

  async write(units: UnitInput[]): Promise<string[]> {
    const { client, scope } = this.#selection
    for (let start = 0; start < units.length; start += batch) {
      const written = await client.units.ingest(units.slice(start, start + batch), scope ? { scope } : {})
      this.#seq = Math.max(this.#seq, written.seq)
    }
    return units.map(({ external_id: id }) => id ?? '')
  }

  async delete(selection: { ids?: string[]; filter?: Filters }): Promise<void> {
    if (selection.ids?.length === 0) return
    const { client, scope } = this.#selection
    const { seq } = await client.units.delete(selection, scope ? { scope } : {})
    this.#seq = Math.max(this.#seq, seq)
  }

  /** The best hits, also more than a page of them. Filters are those of the store and of the call. */
  async search(query: SearchQuery, k = this.#selection.k ?? 10): Promise<Hit[]> {
    const { client, filters, minScore } = this.#selection
    const both = [filters, query.filters].filter((one) => one !== undefined)
    const rest = {
      ...(minScore !== undefined && { min_score: minScore }),
      ...(both.length > 0 && { filters: { and: both } }),
    }
    const all: SearchQuery = { ...query, ...rest }
    const hits: Hit[] = []
    for (let more = true; more && hits.length < k; ) {
      const size = Math.min(page, k - hits.length)
      const part = await client.search({ ...all, top_k: size, offset: hits.length }, this.#options)
      hits.push(...part.hits)
      more = part.hits.length === size
    }
    return hits
  }
}

export const idOf = ({ external_id: id, unit_id: own }: Pick<Unit, 'external_id' | 'unit_id'>): string => id ?? own
