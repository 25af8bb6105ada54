import { brand } from '../../graphql/brand.ts'
import type { Selection } from '../../graphql/transport.ts'
import { SearchAsDocument, SearchDocument, type SearchInput } from './generated/graphql.ts'

/** The search as a command. The key stays out of it. */
export function curlOf(input: SearchInput, { namespace, scope }: Selection): string {
  const headers = [
    'Authorization: Bearer $TOKEN',
    'Content-Type: application/json',
    ...(namespace === undefined ? [] : [`X-${titled(brand)}-Namespace: ${namespace}`]),
    ...(scope === undefined ? [] : [`X-${titled(brand)}-Scope: ${scope}`]),
  ]
  const lines = [
    `curl -s '${location.origin}/v1/search'`,
    ...headers.map((header) => `-H "${header.replace(/["\\`]/g, '\\$&')}"`),
    `-d '${JSON.stringify(onWire(input)).replaceAll("'", `'\\''`)}'`,
  ]
  return lines.join(' \\\n  ')
}

/** The search, as the caller or as a principal, as a GraphQL document and its variables. */
export function graphqlOf(input: SearchInput, as: string | undefined): string {
  const [document, variables] =
    as === undefined ? [SearchDocument, { input }] : [SearchAsDocument, { principalId: as, input }]
  return `${document.toString().trim()}\n\n# variables\n${JSON.stringify(variables, null, 2)}\n`
}

const titled = (word: string) => word[0]?.toUpperCase() + word.slice(1)

/** REST spells names in snake_case; keys of metadata stay as they are. */
function onWire(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const nested = name === 'filters' ? onWire(one) : one
      return [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), nested]
    }),
  )
}
