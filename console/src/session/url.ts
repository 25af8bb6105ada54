import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'

/** The query of the URL: a name that occurs more than once has a list. */
export type UrlSearch = Record<string, string | readonly string[] | undefined>

export function parseSearch(text: string): UrlSearch {
  const params = new URLSearchParams(text)
  const out: Record<string, string | string[]> = {}
  for (const name of new Set(params.keys())) {
    const values = params.getAll(name)
    out[name] = values.length === 1 ? (values[0] ?? '') : values
  }
  return out
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === 'string' && one !== '') params.append(name, one)
    }
  }
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** The value of a name, the first one if it is repeated. */
export function firstOf(search: UrlSearch, name: string): string | undefined {
  const value = search[name]
  return typeof value === 'string' ? value : value?.[0]
}

/** The values of a name that may be repeated. */
export function allOf(search: UrlSearch, name: string): readonly string[] {
  const value = search[name]
  return value === undefined ? [] : typeof value === 'string' ? [value] : value
}

/** A part of the query. It stays the same object, and nothing is rendered, until a value in it changes. */
export const usePartOfUrl = <Part>(select: (search: UrlSearch) => Part): Part => useSearch({ strict: false, select })

/** Changes some names; undefined or an empty list removes one. `replace` makes no step for Back. */
export function useSetUrl() {
  const navigate = useNavigate()
  return useCallback(
    (changes: UrlSearch, { replace = false }: { replace?: boolean } = {}) =>
      navigate({ to: '.', search: (before: UrlSearch) => ({ ...before, ...changes }), replace, resetScroll: false }),
    [navigate],
  )
}

/** Reads and writes the state of a page: all of it stands in the URL. */
export function useUrl() {
  const search: UrlSearch = useSearch({ strict: false })
  const set = useSetUrl()
  return useMemo(
    () => ({
      search,
      get: (name: string) => firstOf(search, name),
      list: (name: string) => allOf(search, name),
      set,
    }),
    [search, set],
  )
}

const keptOf = (search: UrlSearch) => ({
  namespace: firstOf(search, 'namespace'),
  scope: firstOf(search, 'scope'),
  as: firstOf(search, 'as'),
})

/** What stays while one goes from page to page. */
export const useKept = () => usePartOfUrl(keptOf)
