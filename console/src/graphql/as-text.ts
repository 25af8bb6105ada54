import { brand } from './brand.ts'
import type { Selection, TypedDocument } from './transport.ts'

/** A command that posts `body`. The key stays out of it: `$TOKEN` stands for it. */
export function curlOf(path: string, body: object, { namespace, scope }: Selection): string {
  const headers = [
    'Authorization: Bearer $TOKEN',
    'Content-Type: application/json',
    ...(namespace === undefined ? [] : [`X-${titled(brand)}-Namespace: ${namespace}`]),
    ...(scope === undefined ? [] : [`X-${titled(brand)}-Scope: ${scope}`]),
  ]
  const lines = [
    `curl -s '${location.origin}${path}'`,
    ...headers.map((header) => `-H "${header.replace(/["\\`]/g, '\\$&')}"`),
    `-d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`,
  ]
  return lines.join(' \\\n  ')
}

/** A GraphQL document and its variables. */
export function graphqlOf<Variables>(document: TypedDocument<unknown, Variables>, variables: Variables): string {
  return `${document.toString().trim()}\n\n# variables\n${JSON.stringify(variables, null, 2)}\n`
}

/** What POST /graphql takes. */
export const postOf = <Variables>(document: TypedDocument<unknown, Variables>, variables: Variables) => ({
  query: document.toString().trim(),
  variables,
})

const titled = (word: string) => word[0]?.toUpperCase() + word.slice(1)
