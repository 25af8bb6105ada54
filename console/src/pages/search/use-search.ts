import { useCallback, useMemo } from 'react'
import { useGraphql } from '../../graphql/hooks.ts'
import { useSelection } from '../../session/selection.ts'
import { useViewedPlace } from '../../session/session.tsx'
import { type UrlSearch, useUrl } from '../../session/url.ts'
import { type FoundFragment, SearchAsDocument, SearchDocument, type SearchInput } from './generated/graphql.ts'
import { inputOf, type Params } from './params.ts'

export type Hit = FoundFragment['hits'][number]

/** One side of the page: its parameters and what came. */
export function useSearchSide(prefix: '' | 'b.', enabled = true) {
  const url = useUrl()
  const selection = useSelection()
  const params: Params = useMemo(
    () => ({ prefix, get: (name) => url.get(prefix + name), list: (name) => url.list(prefix + name) }),
    [prefix, url],
  )
  const set = useCallback(
    (changes: UrlSearch, options?: { replace?: boolean }) =>
      url.set(Object.fromEntries(Object.entries(changes).map(([name, value]) => [prefix + name, value])), options),
    [prefix, url],
  )
  const input = inputOf(params)
  const scope = params.get('scopes') ?? selection.scope
  const where = { ...selection, scope }
  const as = url.get('as')
  const isAsked = enabled && input !== null
  const variables = { input: input ?? nothing }
  const own = useGraphql(SearchDocument, variables, { enabled: isAsked && as === undefined, selection: where })
  const viewed = useGraphql(
    SearchAsDocument,
    { ...variables, principalId: as ?? '' },
    { enabled: isAsked && as !== undefined, selection: where },
  )
  useViewedPlace(params.get('scopes') === undefined ? viewed.data?.searchAs?.context : undefined)
  const { error, isFetching, isPlaceholderData, refetch } = as === undefined ? own : viewed
  const found: FoundFragment | null | undefined = as === undefined ? own.data?.search : viewed.data?.searchAs
  const result = input === null ? null : (found ?? null)
  return { params, set, input, where, as, result, error, isFetching, isStale: isPlaceholderData, refetch }
}

const nothing: SearchInput = { q: '' }

export type SearchSide = ReturnType<typeof useSearchSide>
