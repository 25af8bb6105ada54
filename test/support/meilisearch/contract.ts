import { existsSync, readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

const file = new URL('../../../../shared/contracts/meilisearch/openapi.json', import.meta.url)

/** Whether Meilisearch's API document lies beside the project. */
export const hasContract = existsSync(file)

interface Operation {
  parameters?: { name: string; in: string }[]
  requestBody?: { required?: boolean; content: Record<string, { schema: object }> }
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: object
}

export interface CheckedRequest {
  method: string
  path: string
  query: URLSearchParams
  contentType: string
  body: unknown
}

/** Tells what is wrong with a request by Meilisearch's API document; null when nothing is. */
export type CheckRequest = (request: CheckedRequest) => string | null

export function createContract(): CheckRequest {
  const document: Document = JSON.parse(readFileSync(file, 'utf8'))
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ components: document.components }, 'meilisearch')
  const compiled = new Map<object, ValidateFunction>()
  const validatorOf = (schema: object) => {
    const known = compiled.get(schema) ?? ajv.compile(rebased(schema))
    compiled.set(schema, known)
    return known
  }
  const paths = Object.entries(document.paths).map(([template, operations]) => ({
    pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
    literal: !template.includes('{'),
    operations,
  }))
  paths.sort((a, b) => Number(b.literal) - Number(a.literal))

  return ({ method, path, query, contentType, body }) => {
    const call = `${method} ${path}`
    const operation = paths.find(({ pattern }) => pattern.test(path))?.operations[method.toLowerCase()]
    if (!operation) return `${call} is not part of the API`
    const known = new Set(operation.parameters?.flatMap((p) => (p.in === 'query' ? [p.name] : [])))
    const stray = [...query.keys()].find((name) => !known.has(name))
    if (stray !== undefined) return `${call} has no parameter ${stray}`
    if (operation.requestBody === undefined) return body === undefined ? null : `${call} takes no body`
    const schema = operation.requestBody.content[contentType]?.schema
    if (!schema) return `${call} does not take ${contentType}`
    const validate = validatorOf(schema)
    return validate(body) ? null : `${call}: ${ajv.errorsText(validate.errors)}`
  }
}

/** References of the document, as seen from outside. */
const rebased = (schema: object): object => JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"meilisearch#/'))
