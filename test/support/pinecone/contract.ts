import { hasDocument, readDocument } from '../texts/api-document.ts'

const fileOf = (name: string) => `pinecone/${name}.openapi.json`

/** Whether Pinecone's API documents are available next to the project. */
export const hasContract = hasDocument(fileOf('db_data'))

interface Parameter {
  in: string
  name: string
  required?: boolean
  schema: { enum?: string[]; items?: object; type?: string }
}

interface Operation {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { content?: Record<string, { schema: object }> | null }>
}

export interface Exchange {
  method: string
  /** Without the query. */
  path: string
  query: URLSearchParams
  headers: Record<string, string | string[] | undefined>
  body: unknown
}

export interface Contract {
  /** The error of a request under Pinecone's document for that plane; null if it is valid. */
  request(plane: 'db_control' | 'db_data', exchange: Exchange): string | null
  /** The same for an answer. */
  answer(plane: 'db_control' | 'db_data', exchange: Exchange, status: number, body: unknown): string | null
}

export function createContract(): Contract {
  const planes = { db_control: readPlane('db_control'), db_data: readPlane('db_data') }
  return {
    request: (plane, exchange) => planes[plane].request(exchange),
    answer: (plane, exchange, status, body) => planes[plane].answer(exchange, status, body),
  }
}

function readPlane(name: string) {
  const document = readDocument<Operation>(fileOf(name))
  const { problemOf } = document
  const operationOf = ({ method, path }: Exchange) => document.operationOf(method, path)

  const parameterProblem = ({ name, in: place, required, schema }: Parameter, { query, headers }: Exchange) => {
    if (place === 'path') return null
    const given = place === 'query' ? query.getAll(name) : [headers[name.toLowerCase()]].flat().filter((v) => v != null)
    if (given.length === 0) return required ? `${name} is missing` : null
    if (schema.type === 'integer' && !/^\d+$/.test(String(given[0]))) return `${name} is not an integer`
    return schema.enum?.includes(String(given[0])) === false ? `${name} may not be ${given[0]}` : null
  }

  return {
    request: (exchange: Exchange): string | null => {
      const operation = operationOf(exchange)
      if (!operation) return `${exchange.method} ${exchange.path} is not part of the API`
      const parameters = operation.parameters ?? []
      for (const parameter of parameters) {
        const problem = parameterProblem(parameter, exchange)
        if (problem !== null) return problem
      }
      for (const name of new Set(exchange.query.keys())) {
        if (!parameters.some((p) => p.in === 'query' && p.name === name)) return `${name} is not a parameter`
      }
      const schema = operation.requestBody?.content['application/json']?.schema
      if (!schema) return exchange.body === undefined ? null : 'takes no body'
      return problemOf(schema, exchange.body)
    },
    answer: (exchange: Exchange, status: number, body: unknown): string | null => {
      const described = operationOf(exchange)?.responses[String(status)]
      if (!described) return `${status} is not described`
      const schema = described.content?.['application/json']?.schema
      return schema ? problemOf(schema, body) : null
    },
  }
}
