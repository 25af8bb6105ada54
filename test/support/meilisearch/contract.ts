import { hasDocument, readDocument } from '../texts/api-document.ts'

const file = 'meilisearch/openapi.json'

/** Whether Meilisearch's API document is available next to the project. */
export const hasContract = hasDocument(file)

interface Operation {
  parameters?: { name: string; in: string }[]
  requestBody?: { required?: boolean; content: Record<string, { schema: object }> }
}

export interface CheckedRequest {
  method: string
  path: string
  query: URLSearchParams
  contentType: string
  body: unknown
}

/** The error of a request under Meilisearch's API document; null if it is valid. */
export type CheckRequest = (request: CheckedRequest) => string | null

export function createContract(): CheckRequest {
  const { operationOf, problemOf } = readDocument<Operation>(file)
  return ({ method, path, query, contentType, body }) => {
    const call = `${method} ${path}`
    const operation = operationOf(method, path)
    if (!operation) return `${call} is not part of the API`
    const known = new Set(operation.parameters?.flatMap((p) => (p.in === 'query' ? [p.name] : [])))
    const stray = [...query.keys()].find((name) => !known.has(name))
    if (stray !== undefined) return `${call} has no parameter ${stray}`
    if (operation.requestBody === undefined) return body === undefined ? null : `${call} takes no body`
    const schema = operation.requestBody.content[contentType]?.schema
    if (!schema) return `${call} does not take ${contentType}`
    const problem = problemOf(schema, body)
    return problem && `${call}: ${problem}`
  }
}
