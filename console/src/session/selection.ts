import type { Selection } from '../graphql/transport.ts'
import { firstOf, type UrlSearch, usePartOfUrl } from './url.ts'

const selectionOf = (search: UrlSearch): Selection => ({
  namespace: firstOf(search, 'namespace'),
  scope: firstOf(search, 'scope'),
})

/** The namespace and scope that the URL names. */
export const useSelection = (): Selection => usePartOfUrl(selectionOf)
