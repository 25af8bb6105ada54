import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useGraphql } from '../../graphql/hooks.ts'
import { useSelection } from '../../session/selection.ts'
import { useViewedPlace } from '../../session/session.tsx'
import { allOf, firstOf, type UrlSearch, useKept, usePartOfUrl, useSetUrl } from '../../session/url.ts'
import { type FoundFragment, SearchAsDocument, SearchDocument, type SearchInput } from './generated/graphql.ts'
import { inputOf, type Params } from './params.ts'
import type { QueryPicture } from './query-picture.ts'

export type Hit = FoundFragment['hits'][number]

/** One side of the page: its parameters and what came. */
export function useSearchSide(prefix: '' | 'b.', enabled = true) {
  const params = useParams(prefix, prefix === '' ? searchOfA : searchOfB)
  const filters = useParams(prefix, prefix === '' ? filtersOfA : filtersOfB)
  const selection = useSelection()
  const setAny = useSetSide(prefix)
  // Other hits have other pages.
  const set = useCallback(
    (changes: UrlSearch, options?: { replace?: boolean }) => setAny({ page: undefined, ...changes }, options),
    [setAny],
  )
  // Too large for a URL: it is gone with the page.
  const [picture, setPicture] = useState<QueryPicture | null>(null)
  const input = useMemo(() => inputOf(params, picture?.base64 ?? null), [params, picture])
  const scope = params.get('scopes') ?? selection.scope
  const where = useMemo(() => ({ ...selection, scope }), [selection, scope])
  const { as } = useKept()
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
  return useMemo(
    () => ({
      params,
      filters,
      set,
      picture,
      setPicture,
      input,
      where,
      as,
      result,
      error,
      isFetching,
      isStale: isPlaceholderData,
      refetch,
    }),
    [params, filters, set, picture, input, where, as, result, error, isFetching, isPlaceholderData, refetch],
  )
}

function useParams(prefix: '' | 'b.', part: (search: UrlSearch) => UrlSearch): Params {
  const search = usePartOfUrl(part)
  return useMemo(
    () => ({ prefix, get: (name) => firstOf(search, prefix + name), list: (name) => allOf(search, prefix + name) }),
    [prefix, search],
  )
}

/** What one side shows unfolded searches for nothing: it is not among its parameters. */
const searchOf = (search: UrlSearch, isMine: (name: string) => boolean): UrlSearch =>
  Object.fromEntries(Object.entries(search).filter(([name]) => isMine(name) && !name.endsWith('open')))
const searchOfA = (search: UrlSearch) => searchOf(search, (name) => !name.startsWith('b.'))
const searchOfB = (search: UrlSearch) => searchOf(search, (name) => name.startsWith('b.'))
/** The filters stay the same while a query is being typed. */
const filtersOfA = (search: UrlSearch) => ({ ...searchOfA(search), q: undefined })
const filtersOfB = (search: UrlSearch) => ({ ...searchOfB(search), 'b.q': undefined })

function useSetSide(prefix: string) {
  const set = useSetUrl()
  return useCallback(
    (changes: UrlSearch, options?: { replace?: boolean }) =>
      set(Object.fromEntries(Object.entries(changes).map(([name, value]) => [prefix + name, value])), options),
    [prefix, set],
  )
}

const openOfA = (search: UrlSearch) => firstOf(search, 'open')
const openOfB = (search: UrlSearch) => firstOf(search, 'b.open')

/** The hit whose score is unfolded, and how to fold or unfold one. It shows at once; the URL says so after that. */
export function useOpenHit(prefix: '' | 'b.') {
  const inUrl = usePartOfUrl(prefix === '' ? openOfA : openOfB)
  const set = useSetSide(prefix)
  const [open, setOpen] = useState(inUrl)
  const [before, setBefore] = useState(inUrl)
  // Back, a link, or another search.
  if (before !== inUrl) {
    setBefore(inUrl)
    setOpen(inUrl)
  }
  const latest = useRef(open)
  latest.current = open
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const toggle = useCallback(
    (unitId: string) => {
      const next = latest.current === unitId ? undefined : unitId
      latest.current = next
      setOpen(next)
      clearTimeout(timer.current)
      timer.current = setTimeout(() => void set({ open: next }, { replace: true }))
    },
    [set],
  )
  return { open, toggle }
}

const nothing: SearchInput = { q: '' }

export type SearchSide = ReturnType<typeof useSearchSide>
