import { useGraphql } from '../../graphql/hooks.ts'
import type { Selection } from '../../graphql/transport.ts'
import { FacetsDocument, type FacetsQuery } from './generated/graphql.ts'
import { filtersOf, type Params, planesOf } from './params.ts'
import type { Hit } from './use-search.ts'

/** A value as the URL spells it, and how many Units have it, if that is known. */
export interface FacetChoice {
  value: string
  count?: number
}

/** The groups of choices beside a search. */
export type FacetChoices = Record<'planes' | 'modality' | 'scopes' | 'mime' | 'days' | 'meta', readonly FacetChoice[]>

export interface FacetsOf {
  params: Params
  /** The scope of the page, and that of the search. */
  page: Selection
  where: Selection
  enabled: boolean
}

const limit = 100
const fields = ['plane', 'modality', 'scope', 'mime', 'createdAt']
/** Fields of one question. */
const keysAtMost = 8
const shown = 20

/** Nothing may be read at `where`, whatever is asked. Unknown counts as false. */
export function useIsEmpty(where: Selection, enabled: boolean): boolean {
  // The question that the filters ask while nothing is chosen: it is in the audit log once.
  const { data } = useGraphql(FacetsDocument, { input: { filters: {}, limit, fields } }, { enabled, selection: where })
  return enabled && data?.facets?.count === 0
}

/** Counts over what the caller may read, whatever the query. Null until they came, undefined where they are not to be had. */
export function useFacets({ params, page, where, enabled }: FacetsOf): FacetChoices | null | undefined {
  const input = { filters: filtersOf(params), ...planesOf(params), limit }
  const main = useGraphql(FacetsDocument, { input: { ...input, fields } }, { enabled, selection: where })
  // As with every field, its own choice does not narrow what can be chosen.
  const isScoped = page.scope !== where.scope
  const scoped = useGraphql(
    FacetsDocument,
    { input: { ...input, fields: ['scope'] } },
    { enabled: enabled && isScoped, selection: page },
  )
  const keys = (main.data?.facets?.metadataKeys ?? []).filter((key) => !key.includes(':')).slice(0, keysAtMost)
  const metadata = useGraphql(
    FacetsDocument,
    { input: { ...input, fields: keys.map((key) => `metadata.${key}`), limit: shown } },
    { enabled: enabled && keys.length > 0, selection: where },
  )
  if (!main.data) return enabled && main.isPending ? null : undefined
  const of = (name: string, data = main.data) => choicesOf(data, name).slice(0, shown)
  return {
    planes: of('plane'),
    modality: of('modality'),
    scopes: of('scope', isScoped ? (scoped.data ?? main.data) : main.data),
    mime: of('mime'),
    days: daysOf(main.data),
    meta: keys
      .flatMap((key) =>
        choicesOf(metadata.data, `metadata.${key}`).map(({ value, count }) => ({ value: `${key}:${value}`, count })),
      )
      .sort((a, b) => b.count - a.count)
      .slice(0, shown),
  }
}

const facetOf = (data: FacetsQuery | undefined, name: string) =>
  data?.facets?.facets.find(({ field }) => field === name)

const choicesOf = (data: FacetsQuery | undefined, name: string) =>
  facetOf(data, name)?.values.map(({ value, count }) => ({ value: String(value), count })) ?? []

/** Units by day in UTC, the newest first; none where times are too many to be counted whole. */
function daysOf(data: FacetsQuery): FacetChoice[] {
  const facet = facetOf(data, 'createdAt')
  if (facet === undefined || facet.other > 0) return []
  const counts = new Map<string, number>()
  for (const { value, count } of facet.values) {
    const day = new Date(Number(value)).toISOString().slice(0, 10)
    counts.set(day, (counts.get(day) ?? 0) + count)
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => (a.value < b.value ? 1 : -1))
    .slice(0, shown)
}

/** What the hits show, without counts: the service counts for the caller alone, not as another principal sees it. */
export function choicesOfHits(hits: readonly Hit[], scopes: readonly string[]): FacetChoices {
  const distinct = (values: readonly string[]) => [...new Set(values)].slice(0, shown).map((value) => ({ value }))
  return {
    planes: distinct(hits.map(({ plane }) => plane)),
    modality: distinct(hits.map(({ modality }) => modality)),
    scopes: distinct(scopes),
    mime: distinct(hits.flatMap(({ mime }) => mime ?? [])),
    days: [],
    meta: distinct(
      hits.flatMap(({ metadata }) =>
        Object.entries(metadata).flatMap(([key, value]) => [value].flat().map((one) => `${key}:${one}`)),
      ),
    ),
  }
}
