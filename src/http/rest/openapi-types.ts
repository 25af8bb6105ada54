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
import { fieldsOf, type Shape, type Shown, typesOf } from './call.ts'
import { base64Suffix, isVector, toWireName } from './input.ts'
import type { RouteCall } from './route.ts'

export type JsonSchema = Record<string, unknown>

const scalars: Record<string, JsonSchema> = {
  String: { type: 'string' },
  ID: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer', format: 'int32' },
  SafeInt: { type: 'integer', format: 'int64' },
  Float: { type: 'number' },
  Vector: { type: 'array', items: { type: 'number' } },
  Metadata: { type: 'object', additionalProperties: true },
  // A value, a list of values, or an object of operators: generators for Java make nothing of a choice with lists.
  Condition: {},
}

/** The integers that a caller may send. */
const safe = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

/** Scalars that are a choice, with a name for generators: `Time` is a type of Go. */
const choices: Record<string, JsonSchema & { title: string }> = {
  Time: {
    title: 'PointInTime',
    oneOf: [
      { type: 'integer', format: 'int64', ...safe },
      { type: 'string', format: 'date-time' },
    ],
  },
}

/** Beside a list of numbers, for the same numbers as text: generators make nothing useful of a choice of types. */
const base64: JsonSchema = {
  type: 'string',
  contentEncoding: 'base64',
  pattern: '^([A-Za-z0-9+/]{16})*([A-Za-z0-9+/]{6}(==)?|[A-Za-z0-9+/]{11}=?|[A-Za-z0-9+/]{16})$',
  description: 'Instead of the list: the same numbers as little-endian float32, in base64 with or without padding.',
}

/** Collected objects. They become `components.schemas`, so recursive types do not loop and generators have names. */
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
  const choice = choices[type.name]
  if (choice) {
    components.set(choice.title, { ...described(type), ...choice })
    return { $ref: `#/components/schemas/${choice.title}` }
  }
  if (!isInputObjectType(type)) return { ...leafSchema(type), ...(type.name === 'SafeInt' && safe) }
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
      if (isVector(field)) properties[`${toWireName(field.name)}${base64Suffix}`] = base64
    }
    const required = fields.filter(isRequiredInputField).map((field) => toWireName(field.name))
    if (required.length > 0) schema.required = required
    if (type.isOneOf) Object.assign(schema, { minProperties: 1, maxProperties: 1 })
  }
  return { $ref: `#/components/schemas/${type.name}` }
}

/** Adds the documented bounds of an argument or input field, as JSON Schema keywords. */
export function withBounds(schema: JsonSchema, input: Pick<GraphQLArgument, 'extensions'>): JsonSchema {
  const { items, ...bounds } = objectOf(input.extensions.bounds)
  // Generators make a set of it, which has no form in JSON.
  if ('enum' in objectOf(schema.items)) delete bounds.uniqueItems
  return {
    ...schema,
    ...('maxProperties' in bounds && { type: 'object', additionalProperties: true }),
    ...bounds,
    ...(items !== undefined && { items: { ...objectOf(schema.items), ...objectOf(items) } }),
  }
}

export const objectOf = (value: unknown): JsonSchema =>
  typeof value === 'object' && value !== null ? { ...value } : {}

/**
 * The answer of a call. A root field is null only if there is an error, and then the error is the answer. What shows its
 * type as every answer does has the name of the type, any other the name of its operation.
 */
export function answerSchema(
  {
    field,
    shape,
    plan,
  }: Pick<RouteCall, 'shape'> & { field: Pick<RouteCall['field'], 'type'>; plan: { field: string } },
  shown: Shown,
  components: Components,
): JsonSchema {
  const type = new GraphQLNonNull(getNullableType(field.type))
  const name = `${plan.field.charAt(0).toUpperCase()}${plan.field.slice(1)}Response`
  return outputSchema({ type }, shape, { shown, components, names: shape ? [name] : [] })
}

interface Place {
  shown: Shown
  components: Components
  /** Names for the object here, besides the name of its type, which is tried first within an answer. */
  names: readonly string[]
}

type Described = { type: GraphQLOutputType; description?: string | null | undefined }

function outputSchema(field: Described, shape: Shape | undefined, place: Place): JsonSchema {
  const named = getNamedType(field.type)
  const value = isLeafType(named) ? leafSchema(named) : reference(named, shape, place)
  return { ...wrapOutput(field.type, value), ...described(field) }
}

/** An object under the first of its names that no other object has. */
function reference(type: GraphQLNamedType, shape: Shape | undefined, { shown, components, names }: Place): JsonSchema {
  const [own = type.name] = names
  const schema = { ...objectSchema(type, shape, { shown, components, names: [own] }), ...described(type) }
  const name = (names.length > 0 ? names : [type.name]).find((one) => {
    const known = components.get(one)
    return known === undefined || JSON.stringify(known) === JSON.stringify(schema)
  })
  if (name === undefined) throw new Error(`openapi.json: two objects would be ${own}`)
  components.set(name, schema)
  return { $ref: `#/components/schemas/${name}` }
}

/** Of a union, all that one of its types may have. */
function objectSchema(type: GraphQLNamedType, shape: Shape | undefined, place: Place) {
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  if (isObjectType(type)) {
    for (const { key, isOptional, field, shape: below } of fieldsOf(place.shown, type, shape)) {
      const { name } = getNamedType(field.type)
      // What shows other fields than every answer does is named after what it is in.
      const names = below ? [...(name in place.shown.shapes ? [] : [name]), `${place.names[0]}${name}`] : []
      properties[key] = outputSchema(field, below, { ...place, names })
      if (!isOptional) required.push(key)
    }
  } else if (isAbstractType(type)) {
    for (const one of typesOf(place.shown, type, shape)) {
      Object.assign(properties, objectSchema(one.type, one.shape, place).properties)
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
