import type { SearchFiltersInput, SearchInput } from './generated/graphql.ts'

/** The parameters of one search in the URL; those of side B begin with `b.`. */
export interface Params {
  prefix: '' | 'b.'
  get(name: string): string | undefined
  list(name: string): readonly string[]
}

type Plane = NonNullable<SearchInput['planes']>[number]

/** The filters that the parameters name. */
export function filtersOf({ get, list }: Params): SearchFiltersInput {
  const metadata: Record<string, (string | number | boolean)[]> = {}
  for (const entry of list('meta')) {
    const at = entry.indexOf(':')
    const key = entry.slice(0, at)
    if (at > 0) metadata[key] = [...(metadata[key] ?? []), ...typesOf(entry.slice(at + 1))]
  }
  return {
    ...some('modality', list('modality')),
    ...some('docId', list('doc')),
    ...some('mime', list('mime')),
    ...timeAt('createdAfter', get('after')),
    ...timeAt('createdBefore', get('before')),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  }
}

/** The planes that the parameters name. */
export const planesOf = ({ list }: Params) => some('planes', list('planes') as Plane[])

/** In the URL a number or a truth is text: what was written may be either. */
function typesOf(text: string): (string | number | boolean)[] {
  if (text === 'true' || text === 'false') return [text, text === 'true']
  return text.trim() !== '' && String(Number(text)) === text ? [text, Number(text)] : [text]
}

/** Orders other than the best first, by their names in the URL. */
const orders: Readonly<Record<string, NonNullable<SearchInput['sort']>>> = {
  newest: [{ by: 'created_at', order: 'desc' }],
  oldest: [{ by: 'created_at', order: 'asc' }],
  changed: [{ by: 'updated_at', order: 'desc' }],
}

function topOf({ get }: Params): number {
  const top = Number(get('top') ?? 10)
  return Number.isInteger(top) && top >= 1 && top <= 50 ? top : 10
}

/** From 1. */
export function pageOf({ get }: Params): number {
  const page = Number(get('page') ?? 1)
  return Number.isInteger(page) && page >= 1 ? page : 1
}

/** Null while there is nothing to search for. `image` is a picture in base64. */
export function inputOf(params: Params, image: string | null): SearchInput | null {
  const { get } = params
  const filters = filtersOf(params)
  const q = get('q') ?? ''
  if (q === '' && image === null && Object.keys(filters).length === 0) return null
  const topK = topOf(params)
  const sort = orders[get('sort') ?? ''] ?? []
  const offset = Math.min(1000, (pageOf(params) - 1) * topK)
  return {
    q,
    // Also while the last word is being typed.
    ...(q === '' ? {} : { prefix: 'last' as const }),
    ...(image === null ? {} : { image: { base64: image } }),
    topK,
    ...(offset > 0 ? { offset } : {}),
    ...(sort.length > 0 ? { sort } : {}),
    ...(get('group') === '1' ? { groupBy: 'doc_id', groupSize: 3, snippetLength: 120 } : {}),
    ...planesOf(params),
    ...(get('rerank') === '1' && sort.length === 0 ? { rerank: true } : {}),
    ...(Object.keys(filters).length > 0 ? { filters } : {}),
  }
}

function some<Name extends string, Value>(name: Name, values: readonly Value[]): { [N in Name]?: Value[] } {
  return (values.length > 0 ? { [name]: [...values] } : {}) as { [N in Name]?: Value[] }
}

/** A time in the URL is a date (its start in UTC) or epoch milliseconds. */
function timeAt<Name extends string>(name: Name, text: string | undefined): { [N in Name]?: number } {
  const time = text === undefined ? Number.NaN : /^\d+$/.test(text) ? Number(text) : Date.parse(text)
  return (Number.isFinite(time) ? { [name]: time } : {}) as { [N in Name]?: number }
}
