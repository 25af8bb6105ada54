import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Schema } from './values.ts'

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Schema
}

interface Body {
  content: Record<string, { schema: Schema }>
}

export interface Operation {
  method: string
  path: string
  parameters: readonly Parameter[]
  body: { type: string; schema: Schema; required: boolean } | null
  /** By status; null for an answer without a body. */
  answers: ReadonlyMap<number, ValidateFunction | null>
}

interface Described {
  parameters: readonly Parameter[]
  requestBody?: Body & { required: boolean }
  responses: Record<string, Partial<Body>>
}

interface Document {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })

/** The operations of openapi.json, with the checks of their answers. */
export function readDocument(): { operations: readonly Operation[]; schemas: Readonly<Record<string, Schema>> } {
  const { paths, components }: Document = JSON.parse(
    readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'),
  )
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters, requestBody, responses }]): Operation => {
      const [sent] = Object.entries(requestBody?.content ?? {})
      const answers = Object.entries(responses).map(([status, { content }]): [number, ValidateFunction | null] => {
        const schema = content?.['application/json']?.schema
        return [Number(status), schema ? ajv.compile(closed({ ...schema, components })) : null]
      })
      const body = sent ? { type: sent[0], schema: sent[1].schema, required: requestBody?.required ?? false } : null
      return { method: method.toUpperCase(), path, parameters, body, answers: new Map(answers) }
    }),
  )
  return { operations, schemas: components.schemas }
}

/** An answer has the fields that the document names, and no others. */
function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closed) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  const isObject = 'properties' in schema && 'type' in schema && schema.type === 'object'
  return (isObject && !('additionalProperties' in schema) ? { ...inner, additionalProperties: false } : inner) as T
}
