import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql'
import { at, isObject } from './body.ts'
import { toWireName, wireFieldsOf } from './names.ts'
import { checkScalar, explainScalar, readText } from './scalars.ts'

/** A variable of an operation. */
export interface VariableType {
  name: string
  type: GraphQLInputType
  required: boolean
  /** The argument of the root field that receives it, if any. */
  argument?: GraphQLArgument | undefined
}

export interface MapOptions {
  /** Strings come from a URL: parse them by type. */
  fromUrl?: boolean
  /** Also parse the schema's own scalars, to find the one that execution refused. */
  explain?: boolean
}

type Path = (string | number)[]

/** The variable for the body: its name is not part of a path. */
const anonymous = 'input'

/**
 * Wire values (snake_case) to GraphQL variables (camelCase), by walking the variables' types: keys are renamed only
 * where the schema has a field, never inside a scalar. Throws a 400 that names the first wrong field as it was sent.
 */
export function toVariables(
  types: readonly VariableType[],
  wire: Readonly<Record<string, unknown>>,
  options: MapOptions = {},
): Record<string, unknown> {
  const known = new Map(types.map((variable) => [toWireName(variable.name), variable]))
  for (const key of Object.keys(wire)) {
    if (!known.has(key) && wire[key] !== undefined) throw at([key], unknownField(known))
  }
  const variables: Record<string, unknown> = {}
  for (const [key, { name, type, required }] of known) {
    const path = name === anonymous ? [] : [key]
    const sent = Object.hasOwn(wire, key) ? wire[key] : undefined
    if (isAbsent(sent)) {
      if (required) throw at(path, path.length === 0 ? 'a body is required' : 'is required')
    } else {
      variables[name] = convert(type, sent, path, options)
    }
  }
  return variables
}

/** The fields that are allowed instead. */
const unknownField = (known: ReadonlyMap<string, unknown>) =>
  known.size === 0
    ? 'unknown field; none is allowed here'
    : `unknown field; must be one of ${[...known.keys()].join(', ')}`

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined

function convert(type: GraphQLInputType, value: unknown, path: Path, options: MapOptions): unknown {
  if (isNonNullType(type)) {
    if (isAbsent(value)) throw at(path, 'must not be null')
    return convert(type.ofType, value, path, options)
  }
  if (isAbsent(value)) return null
  if (isListType(type)) return convertList(type.ofType, value, path, options)
  if (isInputObjectType(type)) return convertObject(type, value, path, options)
  if (isEnumType(type)) {
    const words = type.getValues().map((word) => word.name)
    if (typeof value !== 'string' || !words.includes(value)) throw at(path, `must be one of ${words.join(', ')}`)
    return value
  }
  const read = options.fromUrl && typeof value === 'string' ? readText(type, value) : value
  checkScalar(type, read, path)
  if (options.explain) explainScalar(type, read, path)
  return read
}

function convertList(type: GraphQLInputType, value: unknown, path: Path, options: MapOptions): unknown[] {
  if (!Array.isArray(value)) throw at(path, 'must be a list')
  return value.map((item: unknown, i) => {
    path.push(i)
    const converted = convert(type, item, path, options)
    path.pop()
    return converted
  })
}

function convertObject(type: GraphQLInputObjectType, value: unknown, path: Path, options: MapOptions) {
  if (!isObject(value)) throw at(path, 'must be an object')
  const fields = wireFields(type)
  const converted: Record<string, unknown> = {}
  for (const [key, sent] of Object.entries(value)) {
    const field = fields.get(key)
    path.push(key)
    if (field === undefined) throw at(path, unknownField(fields))
    if (!isAbsent(sent)) converted[field.name] = convert(field.type, sent, path, options)
    path.pop()
  }
  for (const [key, field] of fields) {
    if (isRequiredInputField(field) && !Object.hasOwn(converted, field.name)) throw at([...path, key], 'is required')
  }
  if (type.isOneOf && Object.keys(converted).length !== 1) {
    throw at(path, `exactly one of ${[...fields.keys()].join(', ')} is required`)
  }
  return converted
}

const fieldsByType = new WeakMap<GraphQLInputObjectType, Map<string, GraphQLInputField>>()

/** Fields by their wire names, cached per type: a batch has the same type a thousand times. */
function wireFields(type: GraphQLInputObjectType): Map<string, GraphQLInputField> {
  const known = fieldsByType.get(type)
  if (known !== undefined) return known
  const fields = new Map(wireFieldsOf(type).map((field) => [toWireName(field.name), field]))
  fieldsByType.set(type, fields)
  return fields
}
