import * as text from '../../graphql/as-text.ts'
import type { Selection } from '../../graphql/transport.ts'
import { SearchAsDocument, SearchDocument, type SearchInput } from './generated/graphql.ts'

/** The search as a command. */
export const curlOf = (input: SearchInput, where: Selection): string => text.curlOf('/v1/search', onWire(input), where)

/** The search, as the caller or as a principal, as a GraphQL document and its variables. */
export function graphqlOf(input: SearchInput, as: string | undefined): string {
  if (as === undefined) return text.graphqlOf(SearchDocument, { input })
  return text.graphqlOf(SearchAsDocument, { principalId: as, input })
}

/** REST spells names in snake_case; keys of metadata stay as they are. */
function onWire(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const nested = name === 'filters' ? onWire(one) : one
      return [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), nested]
    }),
  )
}
