import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
} from 'graphql'
import type { Call } from './call.ts'
import { toWireName } from './input.ts'
import { fieldsOf, type Shape, type Shown, typesOf } from './shape.ts'

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
  Condition: {
    oneOf: [
      { type: ['string', 'number', 'boolean', 'null'] },
      { type: 'array', items: { type: ['string', 'number', 'boolean', 'null'] } },
      { type: 'object', additionalProperties: true },
    ],
  },
  Time: {
    oneOf: [
      { type: 'integer', format: 'int64' },
      { type: 'string', format: 'date-time' },
    ],
  },
}

/** Collected input objects. They become `components.schemas`, so recursive types do not loop. */
export type Components = Map<string, JsonSchema>

/** An enum or scalar. An unknown scalar may contain any JSON. */
function leafSchema(type: GraphQLNamedType): JsonSchema {
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
    const fields = Object.values(type.getFields())
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

/** The answer of a call. A root field is null only if there is an error, and then the error is the answer. */
export function answerSchema({ field, shape }: Call, shown: Shown): JsonSchema {
  const type = new GraphQLNonNull(getNullableType(field.type))
  return outputSchema({ ...field, type }, shape, shown)
}

type Described = { type: GraphQLOutputType; description?: string | null | undefined }

function outputSchema(field: Described, shape: Shape | undefined, shown: Shown): JsonSchema {
  const named = getNamedType(field.type)
  const value = isLeafType(named) ? leafSchema(named) : { ...objectSchema(named, shape, shown) }
  return { ...wrapOutput(field.type, value), ...described(field) }
}

/** Of a union, all that one of its types may have. */
function objectSchema(type: GraphQLNamedType, shape: Shape | undefined, shown: Shown) {
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  if (isObjectType(type)) {
    for (const { key, isOptional, field, shape: below } of fieldsOf(shown, type, shape)) {
      properties[key] = outputSchema(field, below, shown)
      if (!isOptional) required.push(key)
    }
  } else if (isAbstractType(type)) {
    for (const one of typesOf(shown, type, shape)) {
      Object.assign(properties, objectSchema(one.type, one.shape, shown).properties)
    }
  }
  return { type: 'object', properties, required }
}

/** Adds the lists and nulls of a type around the schema of its named type. */
function wrapOutput(type: GraphQLOutputType, named: JsonSchema): JsonSchema {
  if (!isNonNullType(type)) return orNull(isListType(type) ? listOf(type.ofType, named) : named)
  return isListType(type.ofType) ? listOf(type.ofType.ofType, named) : named
}

const listOf = (item: GraphQLOutputType, named: JsonSchema) => ({ type: 'array', items: wrapOutput(item, named) })

function orNull(schema: JsonSchema): JsonSchema {
  if (Object.keys(schema).every((key) => key === 'description')) return schema
  const { description, ...rest } = schema
  return { anyOf: [rest, { type: 'null' }], ...(description === undefined ? {} : { description }) }
}
