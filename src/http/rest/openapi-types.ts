import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql'
import { toWireName, wireFieldsOf } from './names.ts'

export type JsonSchema = Record<string, unknown>

const scalars: Record<string, JsonSchema> = {
  String: { type: 'string' },
  ID: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer', format: 'int32' },
  SafeInt: { type: 'integer', format: 'int64' },
  Float: { type: 'number' },
  Vector: {
    oneOf: [
      { type: 'array', items: { type: 'number' } },
      {
        type: 'string',
        format: 'byte',
        contentEncoding: 'base64',
        description: 'The same numbers as little-endian float32, in base64 with or without padding.',
      },
    ],
  },
  Metadata: { type: 'object' },
}

/** Collected input objects. They become `components.schemas`, so recursive types do not loop. */
export type Components = Map<string, JsonSchema>

/** An enum or scalar. An unknown scalar may contain any JSON. */
export function leafSchema(type: GraphQLNamedType): JsonSchema {
  if (isEnumType(type)) {
    return { type: 'string', enum: type.getValues().map((value) => value.name), ...described(type) }
  }
  return { ...scalars[type.name], ...(type.name in scalars ? {} : described(type)) }
}

export const described = ({ description }: { description?: string | null | undefined }): JsonSchema =>
  description ? { description } : {}

/** The schema of an input type, in wire names. */
export function inputSchema(type: GraphQLInputType, components: Components): JsonSchema {
  if (isNonNullType(type)) return inputSchema(type.ofType, components)
  if (isListType(type)) return { type: 'array', items: inputSchema(type.ofType, components) }
  if (!isInputObjectType(type)) return leafSchema(type)
  if (!components.has(type.name)) {
    const properties: Record<string, JsonSchema> = {}
    const schema: JsonSchema = { type: 'object', ...described(type), properties, additionalProperties: false }
    components.set(type.name, schema)
    const fields = wireFieldsOf(type)
    for (const field of fields) {
      properties[toWireName(field.name)] = {
        ...withBounds(inputSchema(field.type, components), field),
        ...described(field),
      }
    }
    const required = fields.filter(isRequiredInputField).map((field) => toWireName(field.name))
    if (required.length > 0) schema.required = required
    if (type.isOneOf) Object.assign(schema, { minProperties: 1, maxProperties: 1 })
  }
  return { $ref: `#/components/schemas/${type.name}` }
}

/** Adds the documented bounds of an argument or input field, as JSON Schema keywords. */
export function withBounds(schema: JsonSchema, input: Pick<GraphQLArgument, 'extensions'>): JsonSchema {
  const { oneOf } = schema
  // Only a vector has several forms; its bounds are those of the list.
  if (Array.isArray(oneOf)) {
    return { ...schema, oneOf: oneOf.map((form) => (form.type === 'array' ? withBounds(form, input) : form)) }
  }
  const { items, ...bounds } = objectOf(input.extensions.bounds)
  return {
    ...schema,
    ...bounds,
    ...(items !== undefined && { items: { ...objectOf(schema.items), ...objectOf(items) } }),
  }
}

const objectOf = (value: unknown): JsonSchema => (typeof value === 'object' && value !== null ? { ...value } : {})

/** Adds the lists and nulls of a type around the schema of its named type. */
export function wrapOutput(type: GraphQLOutputType, named: JsonSchema): JsonSchema {
  if (!isNonNullType(type)) return orNull(isListType(type) ? listOf(type.ofType, named) : named)
  return isListType(type.ofType) ? listOf(type.ofType.ofType, named) : named
}

const listOf = (item: GraphQLOutputType, named: JsonSchema) => ({ type: 'array', items: wrapOutput(item, named) })

function orNull(schema: JsonSchema): JsonSchema {
  if (Object.keys(schema).every((key) => key === 'description')) return schema
  const { description, ...rest } = schema
  return { anyOf: [rest, { type: 'null' }], ...(description === undefined ? {} : { description }) }
}
