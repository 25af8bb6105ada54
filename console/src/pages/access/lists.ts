import { usePages, useRest } from '../../graphql/pages.ts'
import { GrantsDocument, type GrantsQuery, PrincipalsDocument, type PrincipalsQuery } from './generated/graphql.ts'

export type Principal = NonNullable<PrincipalsQuery['principals']>['principals'][number]
export type Grant = NonNullable<GrantsQuery['grants']>['grants'][number]

const principalsOf = ({ principals }: PrincipalsQuery) =>
  principals ? { ...principals, rows: principals.principals } : null
const grantsOf = ({ grants }: GrantsQuery) => (grants ? { ...grants, rows: grants.grants } : null)

export const usePrincipals = () => usePages(PrincipalsDocument, { limit: 100 }, principalsOf)
export const useGrants = () => usePages(GrantsDocument, { limit: 100 }, grantsOf)

/** All pages of both lists: a member or a group is a sum over them. */
export function useEverybody() {
  const [principals, grants] = [usePrincipals(), useGrants()]
  useRest(principals)
  useRest(grants)
  return {
    principals: principals.rows,
    grants: grants.rows,
    isPending: principals.isPending || grants.isPending,
    isStale: principals.isStale || grants.isStale,
    error: principals.error ?? grants.error,
    refetch: () => {
      void principals.refetch()
      void grants.refetch()
    },
    onEnd: () => undefined,
  }
}
