import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { useSelection } from '../session/selection.ts'
import type { ServiceError } from './service-error.ts'
import { request, type TypedDocument } from './transport.ts'

/** One page of a list, as any of the lists answers it. `count` is of all pages; some lists do not know it. */
export interface ListPage<Row> {
  rows: readonly Row[]
  count?: number
  nextCursor?: number | null | undefined
}

/** Rows of a page, where the list does not begin at the first. */
const pageSize = 100

/**
 * A list that loads its pages one after another, from the one at `from` on. `pick` must not change from one rendering
 * to the next.
 */
export function usePages<Result, Variables extends { cursor?: number | null | undefined }, Row>(
  document: TypedDocument<Result, Variables>,
  variables: Variables,
  pick: (result: Result) => ListPage<Row> | null,
  { enabled = true, from = 0 }: { enabled?: boolean; from?: number } = {},
) {
  const selection = useSelection()
  const query = useInfiniteQuery({
    queryKey: [document.__meta__?.hash, 'pages', selection.namespace, selection.scope, variables, from],
    queryFn: ({ signal, pageParam }) => request(document, { ...variables, cursor: pageParam }, { selection, signal }),
    initialPageParam: from,
    getNextPageParam: (last: Result) => pick(last)?.nextCursor ?? null,
    getPreviousPageParam: (_first: Result, _all: Result[], at: number) => (at > 0 ? Math.max(0, at - pageSize) : null),
    placeholderData: keepPreviousData,
    enabled,
  })
  const { data, isFetchingNextPage, hasNextPage, fetchNextPage } = query
  const { isFetchingPreviousPage, hasPreviousPage, fetchPreviousPage } = query
  const rows = useMemo(() => data?.pages.flatMap((page) => [...(pick(page)?.rows ?? [])]) ?? [], [data, pick])
  const last = data?.pages.at(-1)
  const count = last === undefined ? undefined : pick(last)?.count
  const offset = (data?.pageParams[0] as number | undefined) ?? from
  return {
    rows,
    /** How many of the list come before `rows`. */
    offset,
    /** The page that came last. */
    last,
    /** Of all pages; -1, as ARIA has it, while it is not known. */
    count: count ?? (hasNextPage ? -2 : offset + rows.length),
    /** Nothing has come yet. */
    isPending: query.isPending,
    /** What is shown is of other variables. */
    isStale: query.isPlaceholderData,
    isFetching: query.isFetching,
    error: query.error as ServiceError | null,
    refetch: query.refetch,
    onEnd: () => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
    },
    onStart: () => {
      if (hasPreviousPage && !isFetchingPreviousPage) void fetchPreviousPage()
    },
  }
}

/** Loads the pages that are still to come of a list, until it has `most` rows. */
export function useRest(
  { rows, onEnd }: { rows: readonly unknown[]; onEnd(): void },
  most = Number.POSITIVE_INFINITY,
): void {
  const { length } = rows
  useEffect(() => {
    if (length > 0 && length < most) onEnd()
  }, [length, most, onEnd])
}
