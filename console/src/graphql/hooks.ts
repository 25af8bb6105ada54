import { keepPreviousData, useIsFetching, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSelection } from '../session/selection.ts'
import type { ServiceError } from './service-error.ts'
import { request, type Selection, type TypedDocument } from './transport.ts'

export interface GraphqlOptions {
  /** False while there is nothing to ask. */
  enabled?: boolean
  /** Instead of the selection in the URL. */
  selection?: Selection
  /** What came counts, also where another part of it failed. */
  isPartial?: boolean
  /** Milliseconds until the answer is asked for again. */
  refetchInterval?: number | false
}

/** The data of a query at the namespace and scope of the URL. While other variables load, what was there stays. */
export function useGraphql<Result, Variables>(
  document: TypedDocument<Result, Variables>,
  variables: Variables,
  { enabled = true, selection, isPartial = false, refetchInterval = false }: GraphqlOptions = {},
) {
  const ofUrl = useSelection()
  const where = selection ?? ofUrl
  return useQuery<Result, ServiceError>({
    queryKey: [document.__meta__?.hash, where.namespace, where.scope, variables],
    queryFn: ({ signal }) => request(document, variables, { selection: where, signal, isPartial }),
    enabled,
    refetchInterval,
    placeholderData: keepPreviousData,
  })
}

/** Whether something is asked for the first time: the page is not yet what it will be. */
export const useIsLoading = (): boolean => useIsFetching({ predicate: ({ state }) => state.status === 'pending' }) > 0

/** A mutation at the namespace of the URL, and its scope unless one is given. Once it succeeded, all lists are asked for again. */
export function useChange<Result, Variables>(document: TypedDocument<Result, Variables>, scope?: string) {
  const ofUrl = useSelection()
  const client = useQueryClient()
  return useMutation<Result, ServiceError, Variables>({
    mutationFn: (variables) =>
      request(document, variables, { selection: scope === undefined ? ofUrl : { ...ofUrl, scope } }),
    onSuccess: () => client.invalidateQueries(),
  })
}
