import { hasDocument, readDocument } from '../texts/api-document.ts'

const file = 'stripe/openapi.json'

/** Whether Stripe's API document is available next to the project. */
export const hasContract = hasDocument(file)

interface Operation {
  'x-query-schema'?: object
  requestBody?: { content: Record<string, { schema: object }> }
}

/** The error of a request under Stripe's API document; null if it is valid. */
export type CheckRequest = (method: string, path: string, params: Record<string, unknown>) => string | null

export function createContract(): CheckRequest {
  const { operationOf, problemOf } = readDocument<Operation>(file, { coerced: true })
  return (method, path, params) => {
    const operation = operationOf(method, path)
    if (!operation) return `${method} ${path} is not part of the API`
    const schema =
      operation['x-query-schema'] ?? operation.requestBody?.content['application/x-www-form-urlencoded']?.schema
    if (!schema) return Object.keys(params).length === 0 ? null : `${method} ${path} takes no parameters`
    const problem = problemOf(schema, params)
    return problem && `${method} ${path}: ${problem}`
  }
}
