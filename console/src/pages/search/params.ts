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

/** Null while there is nothing to search for. `image` is a picture in base64. */
export function inputOf(params: Params, image: string | null): SearchInput | null {
  const { get } = params
  const filters = filtersOf(params)
  const q = get('q') ?? ''
  if (q === '' && image === null && Object.keys(filters).length === 0) return null
  const top = Number(get('top') ?? 10)
  return {
    q,
    ...(image === null ? {} : { image: { base64: image } }),
    topK: Number.isInteger(top) && top >= 1 && top <= 50 ? top : 10,
    ...planesOf(params),
    ...(get('rerank') === '1' ? { rerank: true } : {}),
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
