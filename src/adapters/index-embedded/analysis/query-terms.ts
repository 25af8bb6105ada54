import { analyse } from './analyse.ts'

/** Stop words are a field of their own: they shape no other query's statistics, yet can be asked for. */
export type FieldName = 'content' | 'stop'

export interface QueryTerms {
  field: FieldName
  /** How often the query says each term, in the order of first mention. */
  terms: ReadonlyMap<string, number>
}

/** The query's words without stop words; of a query that is nothing else, those. */
export function queryTerms(query: string): QueryTerms {
  const tokens = analyse(query)
  const content = tokens.filter((token) => !token.stop)
  const terms = new Map<string, number>()
  for (const { term } of content.length > 0 ? content : tokens) terms.set(term, (terms.get(term) ?? 0) + 1)
  return { field: content.length > 0 ? 'content' : 'stop', terms }
}
