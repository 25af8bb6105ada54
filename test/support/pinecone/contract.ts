import { existsSync, readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

const folder = new URL('../../../../shared/contracts/pinecone/', import.meta.url)
const fileOf = (name: string) => new URL(`${name}.openapi.json`, folder)

/** Whether Pinecone's API documents lie beside the project. */
export const hasContract = existsSync(fileOf('db_data'))

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

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: object
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
  /** What is wrong with a request by Pinecone's document of that plane; null when nothing is. */
  request(plane: 'db_control' | 'db_data', exchange: Exchange): string | null
  /** The same of an answer. */
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
  const document: Document = JSON.parse(readFileSync(fileOf(name), 'utf8'))
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ components: document.components }, name)
  const compiled = new Map<object, ValidateFunction>()
  const problemOf = (schema: object, value: unknown): string | null => {
    const rebased = () => JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${name}#/`))
    const validate = compiled.get(schema) ?? ajv.compile(rebased())
    compiled.set(schema, validate)
    return validate(value) ? null : ajv.errorsText(validate.errors)
  }
  const templates = Object.entries(document.paths).map(([template, operations]) => ({
    pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
    operations,
  }))
  const operationOf = ({ method, path }: Exchange) =>
    templates.find(({ pattern, operations }) => pattern.test(path) && operations[method.toLowerCase()])?.operations[
      method.toLowerCase()
    ]

  const parameterProblem = ({ name, in: place, required, schema }: Parameter, { query, headers }: Exchange) => {
    if (place === 'path') return null
    const given = place === 'query' ? query.getAll(name) : [headers[name.toLowerCase()]].flat().filter((v) => v != null)
    if (given.length === 0) return required ? `${name} is missing` : null
    if (schema.type === 'integer' && !/^\d+$/.test(String(given[0]))) return `${name} is no integer`
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
