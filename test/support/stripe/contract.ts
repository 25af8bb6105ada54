import { existsSync, readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

const file = new URL('../../../../shared/contracts/stripe/openapi.json', import.meta.url)

/** Whether Stripe's API document lies beside the project. */
export const hasContract = existsSync(file)

interface Described {
  'x-query-schema'?: object
  requestBody?: { content: Record<string, { schema: object }> }
}

interface Document {
  paths: Record<string, Record<string, Described>>
  components: object
}

/** Tells what is wrong with a request by Stripe's API document; null when nothing is. */
export type CheckRequest = (method: string, path: string, params: Record<string, unknown>) => string | null

export function createContract(): CheckRequest {
  const document: Document = JSON.parse(readFileSync(file, 'utf8'))
  const ajv = new Ajv2020({ strict: false, validateFormats: false, coerceTypes: true })
  ajv.addSchema({ components: document.components }, 'stripe')
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
  return (method, path, params) => {
    const operation = paths.find(({ pattern }) => pattern.test(path))?.operations[method.toLowerCase()]
    if (!operation) return `${method} ${path} is not part of the API`
    const schema =
      operation['x-query-schema'] ?? operation.requestBody?.content['application/x-www-form-urlencoded']?.schema
    if (!schema) return Object.keys(params).length === 0 ? null : `${method} ${path} takes no parameters`
    const validate = validatorOf(schema)
    return validate(structuredClone(params)) ? null : `${method} ${path}: ${ajv.errorsText(validate.errors)}`
  }
}

/** References of the document, as seen from outside. */
const rebased = (schema: object): object => JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"stripe#/'))
