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

/** Reads and writes the state of a page: all of it stands in the URL. */
export function useUrl() {
  const search: UrlSearch = useSearch({ strict: false })
  const navigate = useNavigate()

  const get = useCallback(
    (name: string): string | undefined => {
      const value = search[name]
      return typeof value === 'string' ? value : value?.[0]
    },
    [search],
  )
  /** Values of a name that may be repeated. */
  const list = useCallback(
    (name: string): readonly string[] => {
      const value = search[name]
      return value === undefined ? [] : typeof value === 'string' ? [value] : value
    },
    [search],
  )
  /** Changes some names; undefined or an empty list removes one. `replace` makes no step for Back. */
  const set = useCallback(
    (changes: UrlSearch, { replace = false }: { replace?: boolean } = {}) =>
      navigate({ to: '.', search: (before: UrlSearch) => ({ ...before, ...changes }), replace, resetScroll: false }),
    [navigate],
  )
  return useMemo(() => ({ search, get, list, set }), [search, get, list, set])
}
