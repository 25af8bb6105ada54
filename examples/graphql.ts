/**
 * GraphQL from TypeScript: two queries in one request, with the context that applied to them.
 * Settings: SVC_URL, and SVC_TOKEN, the token of a principal with read permission.
 */

const { SVC_URL = 'http://127.0.0.1:8787', SVC_TOKEN = '' } = process.env

interface Answer {
  data: {
    context: { principal: { principalId: string }; effectiveScopes: string[] }
    search: { hits: { externalId: string; plane: string }[]; hiddenByAcl: number } | null
  }
  errors?: { message: string; path?: (string | number)[]; extensions: { code: string; status: number } }[]
}

const query = /* GraphQL */ `
  query Find($input: SearchInput!) {
    context {
      principal {
        principalId
      }
      effectiveScopes
    }
    search(input: $input) {
      hits {
        externalId
        plane
      }
      hiddenByAcl
    }
  }
`

const response = await fetch(new URL('/graphql', SVC_URL), {
  method: 'POST',
  headers: { authorization: `Bearer ${SVC_TOKEN}`, 'content-type': 'application/json' },
  body: JSON.stringify({ query, variables: { input: { q: 'thermal image of the battery at pier 4', topK: 1 } } }),
})
const { data, errors = [] } = (await response.json()) as Answer

// A failed field is null, and the other fields have values; its error has the path.
for (const { path, extensions } of errors) console.error(`${path?.join('.')}: ${extensions.status} ${extensions.code}`)
console.log(`${data.context.principal.principalId} in ${data.context.effectiveScopes.length} scopes`)
for (const { externalId, plane } of data.search?.hits ?? []) console.log(`${plane} ${externalId}`)
