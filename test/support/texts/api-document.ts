import { existsSync, readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

const folder = new URL('../../../../shared/contracts', import.meta.url)

/** Whether a vendor's API document is available next to the project. */
export const hasDocument = (file: string): boolean => existsSync(new URL(file, folder))

/** A vendor's OpenAPI document, to check requests against. `Operation`: the fields of an operation that are read. */
export interface ApiDocument<Operation> {
  /** Null if the call is not part of the API. */
  operationOf(method: string, path: string): Operation | null
  /** The error of a value under one of the document's schemas; null if it is valid. */
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

/** Replaces the document's internal references, so that they work outside of it. */
const rebased = (schema: object): object => JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))
