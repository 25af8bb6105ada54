import type { Doc, FacetField, Facets } from '../../model/doc.ts'
import type { Listed, PageRange } from '../../model/page.ts'
import type { SearchFilters } from '../../model/search.ts'
import type { Visibility } from './visibility.ts'

export interface DocFilter {
  /** Of the docId. */
  prefix?: string | undefined
  filters: SearchFilters
}

export interface FacetQuestion {
  fields: readonly FacetField[]
  filters: SearchFilters
  /** The Units' planes; all without it. */
  planes?: readonly string[] | undefined
  /** Values per field. */
  limit: number
}

/** Sums over the Units that a reader may read; no other Unit has any influence. */
export interface DocReader {
  /** Those with a readable Unit that meets the filters, newest first write first. */
  list(visibility: Visibility, filter: DocFilter, page: PageRange): Promise<Listed<Doc>>
  /** Null without a readable Unit. */
  get(visibility: Visibility, docId: string): Promise<Doc | null>
  /** A field's own filter does not apply to its facet. */
  facets(visibility: Visibility, question: FacetQuestion): Promise<Facets>
}
