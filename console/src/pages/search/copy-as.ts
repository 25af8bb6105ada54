import { copy } from '../../components/clipboard.ts'
import * as text from '../../graphql/as-text.ts'
import type { Selection } from '../../graphql/transport.ts'
import { SearchAsDocument, SearchDocument, type SearchInput } from './generated/graphql.ts'
import type { SearchSide } from './use-search.ts'

/** The search as a command. */
const curlOf = (input: SearchInput, where: Selection): string => text.curlOf('/v1/search', onWire(input), where)

/** Puts the search into the clipboard, if there is one. */
export function copySearch({ input, where, as }: Pick<SearchSide, 'input' | 'where' | 'as'>, form: 'curl' | 'GraphQL') {
  if (input !== null) void copy(form === 'curl' ? curlOf(input, where) : graphqlOf(input, as), form)
}

/** The search, as the caller or as a principal, as a GraphQL document and its variables. */
function graphqlOf(input: SearchInput, as: string | undefined): string {
  if (as === undefined) return text.graphqlOf(SearchDocument, { input })
  return text.graphqlOf(SearchAsDocument, { principalId: as, input })
}

/** REST spells names in snake_case; keys of metadata stay as they are. */
function onWire(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const nested = name === 'filters' || name === 'image' ? onWire(one) : one
      return [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), nested]
    }),
  )
}
