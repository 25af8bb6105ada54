import { existsSync, readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

const folder = new URL('../../../shared/contracts/', import.meta.url)

/** Whether a vendor's API document lies beside the project. */
export const hasDocument = (file: string): boolean => existsSync(new URL(file, folder))

/** A vendor's OpenAPI document, to hold requests against; `Operation` is what is read of one. */
export interface ApiDocument<Operation> {
  /** Null for a call that is not part of the API. */
  operationOf(method: string, path: string): Operation | null
  /** What is wrong with a value by one of the document's schemas; null when nothing is. */
  problemOf(schema: object, value: unknown): string | null
}

/** `coerced`: values come from a form or a query, as strings. */
export function readDocument<Operation>(file: string, { coerced = false } = {}): ApiDocument<Operation> {
  const document: { paths: Record<string, Record<string, Operation>>; components: object } = JSON.parse(
    readFileSync(new URL(file, folder), 'utf8'),
  )
  const ajv = new Ajv2020({ strict: false, validateFormats: false, coerceTypes: coerced })
  ajv.addSchema({ components: document.components }, 'document')
  const compiled = new Map<object, ValidateFunction>()
  const paths = Object.entries(document.paths).map(([template, operations]) => ({
    pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
    literal: !template.includes('{'),
    operations,
  }))
  paths.sort((a, b) => Number(b.literal) - Number(a.literal))
  return {
    operationOf: (method, path) => {
      const called = method.toLowerCase()
      return (
        paths.find(({ pattern, operations }) => pattern.test(path) && operations[called])?.operations[called] ?? null
      )
    },
    problemOf: (schema, value) => {
      const validate = compiled.get(schema) ?? ajv.compile(rebased(schema))
      compiled.set(schema, validate)
      return validate(coerced ? structuredClone(value) : value) ? null : ajv.errorsText(validate.errors)
    },
  }
}

/** References of the document, as seen from outside. */
const rebased = (schema: object): object => JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))
