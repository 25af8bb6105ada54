import { evaluate, FilterError, parseFilter } from './filter.ts'
import type { Document, LocalIndex } from './local-index.ts'
import { RefusalError } from './refusal.ts'
import { type QueryTerm, queryTermsOf } from './words.ts'

/** The parameters that the local server supports; it rejects others. */
export interface SearchQuery {
  indexUid: string
  q?: string
  filter?: unknown
  sort?: string[]
  limit?: number
  offset?: number
  page?: number
  hitsPerPage?: number
  matchingStrategy?: 'last' | 'all'
  attributesToRetrieve?: string[]
  facets?: string[]
  federationOptions?: { weight?: number }
}

const known = new Set([
  'indexUid',
  'q',
  'filter',
  'sort',
  'limit',
  'offset',
  'page',
  'hitsPerPage',
  'matchingStrategy',
  'attributesToRetrieve',
  'facets',
  'federationOptions',
])

/** A matching document with its order: how many of the leading terms it contains, then its sort keys. */
export interface Ranked {
  id: string
  /** 0..1, by the rule `words`, the only ranking rule here that separates documents. */
  score: number
  keys: unknown[]
}

/** All results of a query, in order. `rule` is the filter of a tenant token. */
function rankedHits(index: LocalIndex, query: SearchQuery, rule: string | null): Ranked[] {
  const stray = Object.keys(query).find((name) => !known.has(name))
  if (stray !== undefined) throw new RefusalError(400, 'bad_request', `Unknown field \`${stray}\``)
  const terms = queryTermsOf(query.q ?? '')
  const visible = filtered(index, [rule, query.filter], 'invalid_search_filter')
  const sorts = (query.sort ?? []).map((rule) => sortKey(index, rule))
  const found = [...visible].flatMap((id): Ranked[] => {
    const matched = leading(index, terms, id)
    const enough = terms.length === 0 || (query.matchingStrategy === 'all' ? matched === terms.length : matched > 0)
    if (!enough) return []
    return [{ id, score: terms.length === 0 ? 1 : matched / terms.length, keys: sorts.map((key) => key(id)) }]
  })
  return found.sort(compareRanked)
}

export const compareRanked = (a: Ranked, b: Ranked): number => b.score - a.score || compareKeys(a.keys, b.keys)

function compareKeys(a: readonly unknown[], b: readonly unknown[]): number {
  for (const [i, left] of a.entries()) {
    const order = compareValues(left, b[i])
    if (order !== 0) return order
  }
  return 0
}

/** Ascending: numbers, then strings, then documents without the attribute. */
function compareValues(a: unknown, b: unknown): number {
  const kind = (value: unknown) => (typeof value === 'number' ? 0 : typeof value === 'string' ? 1 : 2)
  if (kind(a) !== kind(b)) return kind(a) - kind(b)
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return `${a}` < `${b}` ? -1 : `${a}` > `${b}` ? 1 : 0
}

function sortKey(index: LocalIndex, rule: string): (id: string) => unknown {
  const [attribute = '', direction] = rule.split(':')
  if (direction !== 'asc') throw new Error('the local server sorts ascending alone')
  if (!index.list('sortableAttributes').includes(attribute)) throw new RefusalError(400, 'invalid_search_sort', rule)
  return (id) => {
    const value = index.documents.get(id)?.[attribute]
    return typeof value === 'string' ? value.toLowerCase() : value
  }
}

export function filtered(index: LocalIndex, filters: readonly unknown[], code: string): Set<string> {
  try {
    const expressions = filters.flatMap((filter) => (filter === null || filter === undefined ? [] : [`${filter}`]))
    return expressions.reduce<Set<string>>(
      (within, expression) => evaluate(parseFilter(expression), index, within),
      new Set(index.all()),
    )
  } catch (error) {
    if (error instanceof FilterError) throw new RefusalError(400, code, error.message)
    throw error
  }
}

/** How many terms a document contains without a gap from the first: the strategy `last` drops terms from the end. */
function leading(index: LocalIndex, terms: readonly QueryTerm[], id: string): number {
  const missing = terms.findIndex((term) => !says(index, term, id))
  return missing < 0 ? terms.length : missing
}

/** Whether a document contains a term. The words of a phrase must follow each other in one attribute. */
function says(index: LocalIndex, { words }: QueryTerm, id: string): boolean {
  const [first = '', ...rest] = words.map((word) => index.words.get(word)?.get(id))
  return [...(first || [])].some(([attribute, places]) =>
    places.some(({ position }) =>
      rest.every((following, i) => following?.get(attribute)?.some((at) => at.position === position + i + 1)),
    ),
  )
}

function presented(index: LocalIndex, query: SearchQuery, id: string): Document {
  const [wanted, displayed] = [query.attributesToRetrieve ?? ['*'], index.list('displayedAttributes')]
  return picked(picked(index.documents.get(id) ?? {}, displayed), wanted)
}

/** The listed attributes of a document; `*` means all. */
export const picked = (document: Document, names: readonly string[]): Document =>
  Object.fromEntries(Object.entries(document).filter(([name]) => names.includes('*') || names.includes(name)))

/** The answer of `POST /multi-search` to one query. */
export function answer(index: LocalIndex, query: SearchQuery, rule: string | null): object {
  const ranked = rankedHits(index, query, rule)
  const reachable = ranked.slice(0, Number(Object(index.settings.pagination).maxTotalHits))
  const { page, hitsPerPage, limit = 20, offset = 0 } = query
  const paged = page !== undefined || hitsPerPage !== undefined
  const size = hitsPerPage ?? 20
  const from = paged ? ((page ?? 1) - 1) * size : offset
  const hits = reachable.slice(from, from + (paged ? size : limit)).map(({ id }) => presented(index, query, id))
  const counts = paged
    ? { page: page ?? 1, hitsPerPage: size, totalHits: reachable.length }
    : { limit, offset, estimatedTotalHits: reachable.length }
  const facets = query.facets === undefined ? {} : { facetDistribution: distribution(index, query.facets, ranked) }
  return { indexUid: index.uid, hits, query: query.q ?? '', processingTimeMs: 0, ...counts, ...facets }
}

function distribution(index: LocalIndex, attributes: readonly string[], ranked: readonly Ranked[]): object {
  const found = new Set(ranked.map(({ id }) => id))
  const max = Number(Object(index.settings.faceting).maxValuesPerFacet)
  return Object.fromEntries(
    attributes.map((attribute) => {
      const facet = index.facet(attribute)
      if (!facet) throw new RefusalError(400, 'invalid_search_facets', attribute)
      const counts = [...facet.numbers, ...facet.strings].flatMap(([value, ids]) => {
        const count = [...ids].filter((id) => found.has(id)).length
        return count === 0 ? [] : [[`${value}`, count] as const]
      })
      return [attribute, Object.fromEntries(counts.slice(0, max))]
    }),
  )
}

/** The answer of `POST /multi-search` with `federation`: one list, each document at its highest weighted score. */
export function federated(
  queries: readonly { index: LocalIndex; query: SearchQuery; rule: string | null }[],
  { limit = 20, offset = 0 }: { limit?: number; offset?: number },
): object {
  const all = queries.flatMap(({ index, query, rule }, queriesPosition) => {
    const paging = ['limit', 'offset', 'page', 'hitsPerPage'].find((name) => name in query)
    if (paging !== undefined) throw new RefusalError(400, 'invalid_multi_search_query_pagination', paging)
    if (query.facets !== undefined) throw new RefusalError(400, 'invalid_multi_search_query_facets')
    const weight = query.federationOptions?.weight ?? 1
    return rankedHits(index, query, rule).map((hit) => ({
      ...hit,
      score: hit.score * weight,
      index,
      query,
      queriesPosition,
    }))
  })
  all.sort((a, b) => compareRanked(a, b) || a.queriesPosition - b.queriesPosition)
  const seen = new Set<string>()
  const best = all.filter(({ index, id }) => !seen.has(`${index.uid} ${id}`) && seen.add(`${index.uid} ${id}`))
  const hits = best.slice(offset, offset + limit).map(({ id, score, index, query, queriesPosition }) => ({
    ...presented(index, query, id),
    _federation: { indexUid: index.uid, queriesPosition, weightedRankingScore: score },
  }))
  return { hits, processingTimeMs: 0, limit, offset, estimatedTotalHits: best.length }
}
