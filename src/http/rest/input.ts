import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql'
import { JsonTooLargeError, maxJsonDepth, parseJsonInSlices, tooDeep } from '../../async/json.ts'
import { badRequest, type InputPath, InvalidInputError, renderPath } from '../../errors.ts'
import { isObject } from '../../model/json.ts'
import { isCleanText } from '../message.ts'

/** `tStartMs` -> `t_start_ms`. */
export function toWireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Inside this field, the caller chooses the keys. */
const opaque = 'metadata'

/** Converts a path of the domain (camelCase) to wire names. */
export function toWirePath(path: InputPath): InputPath {
  const end = path.indexOf(opaque)
  return path.map((part, i) => (typeof part === 'string' && (end < 0 || i <= end) ? toWireName(part) : part))
}

/** Parses a JSON object and refuses text that cannot be stored. `undefined` for an empty body. */
export async function parseBody(bytes: Uint8Array): Promise<Record<string, unknown> | undefined> {
  if (bytes.byteLength === 0) return undefined
  const value = await parseJsonInSlices(bytes, (piece, path) => checkTexts(piece, [...path])).catch(refuse)
  if (!isObject(value)) throw badRequest('the body must be a JSON object')
  return value
}

function refuse(error: unknown): never {
  if (error instanceof JsonTooLargeError) throw at(error.path, error.message)
  if (error instanceof SyntaxError) throw badRequest('the body must be valid JSON')
  if (error instanceof TypeError) throw badRequest('the body must be valid UTF-8')
  throw error
}

/** Checks strings, keys and numbers anywhere in the body, including user metadata. */
function checkTexts(value: unknown, path: (string | number)[]): void {
  if (typeof value === 'string') {
    if (!isCleanText(value)) throw at(path, 'must not contain NUL or an unpaired surrogate')
    return
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw at(path, 'must be a finite number')
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (path.length >= maxJsonDepth) throw at(path.slice(0, 4), tooDeep)
  if (Array.isArray(value)) {
    if (isListOfNumbers(value)) return
    for (let i = 0; i < value.length; i += 1) checkWithin(value[i], i, path)
    return
  }
  for (const [key, child] of Object.entries(value)) {
    if (!isCleanText(key)) throw at(path, 'a field name must not contain NUL or an unpaired surrogate')
    // It is harmless as an own property, but a copy of the object would make it the prototype.
    if (key === '__proto__') throw at([...path, key], 'must not be a field name')
    checkWithin(child, key, path)
  }
}

/** A separate function, so that it only receives lists of numbers: the engine then reads them unboxed. */
function isListOfNumbers(list: readonly unknown[]): boolean {
  if (typeof list[0] !== 'number') return false
  for (let i = 0; i < list.length; i += 1) if (!Number.isFinite(list[i])) return false
  return true
}

function checkWithin(child: unknown, key: string | number, path: (string | number)[]): void {
  path.push(key)
  checkTexts(child, path)
  path.pop()
}

const maxShownKey = 64

/** A 400 that names a place in wire names. A key that the caller chose is shortened. */
function at(path: readonly (string | number)[], problem: string) {
  const shown = path.map((part) =>
    typeof part === 'string' && part.length > maxShownKey ? `${part.slice(0, maxShownKey).toWellFormed()}…` : part,
  )
  return badRequest(shown.length === 0 ? problem : `${renderPath(shown)}: ${problem}`)
}

/** An argument that the wire sends. */
export interface Input {
  argument: GraphQLArgument
  /** Empty for the whole body: errors name its fields without a prefix. */
  wireName: string
}

type Path = (string | number)[]

/**
 * Wire values (snake_case) to arguments of a resolver, by walking the arguments' types: keys are renamed only where the
 * schema has a field, never inside a scalar. Each scalar is parsed once. With `fromUrl`, texts are parsed by type. Throws
 * a 400 that names the first wrong field as it was sent.
 */
export function toArguments(
  inputs: readonly Input[],
  wire: Readonly<Record<string, unknown>>,
  fromUrl: boolean,
): Record<string, unknown> {
  const known = new Map(inputs.map((input) => [input.wireName, input.argument]))
  for (const key of Object.keys(wire)) {
    if (!known.has(key) && wire[key] !== undefined) throw at([key], unknownField(known))
  }
  const args: Record<string, unknown> = {}
  for (const [key, argument] of known) {
    const path = key === '' ? [] : [key]
    const sent = Object.hasOwn(wire, key) ? wire[key] : undefined
    if (!isAbsent(sent)) args[argument.name] = convert(argument.type, sent, path, fromUrl)
    else if (isRequiredArgument(argument)) throw at(path, key === '' ? 'a body is required' : 'is required')
  }
  return args
}

/** The fields that are allowed instead. */
const unknownField = (known: ReadonlyMap<string, unknown>) =>
  known.size === 0
    ? 'unknown field; none is allowed here'
    : `unknown field; must be one of ${[...known.keys()].join(', ')}`

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined

function convert(type: GraphQLInputType, value: unknown, path: Path, fromUrl: boolean): unknown {
  if (isNonNullType(type)) {
    if (isAbsent(value)) throw at(path, 'must not be null')
    return convert(type.ofType, value, path, fromUrl)
  }
  if (isAbsent(value)) return null
  if (isListType(type)) return convertList(type.ofType, value, path, fromUrl)
  if (isInputObjectType(type)) return convertObject(type, value, path, fromUrl)
  if (isEnumType(type)) {
    const word = typeof value === 'string' ? type.getValue(value) : undefined
    if (word) return word.value
    const words = type.getValues().map(({ name }) => name)
    throw at(path, `must be one of ${words.join(', ')}`)
  }
  return readScalar(type, value, path, fromUrl)
}

function convertList(type: GraphQLInputType, value: unknown, path: Path, fromUrl: boolean): unknown[] {
  if (!Array.isArray(value)) throw at(path, 'must be a list')
  return value.map((item: unknown, i) => {
    path.push(i)
    const converted = convert(type, item, path, fromUrl)
    path.pop()
    return converted
  })
}

function convertObject(type: GraphQLInputObjectType, value: unknown, path: Path, fromUrl: boolean) {
  if (!isObject(value)) throw at(path, 'must be an object')
  const fields = wireFields(type)
  const converted: Record<string, unknown> = {}
  for (const [key, sent] of Object.entries(value)) {
    const field = fields.get(key)
    path.push(key)
    if (field === undefined) throw at(path, unknownField(fields))
    if (!isAbsent(sent)) {
      if (Object.hasOwn(converted, field.name)) throw at(path, 'must not be there beside another form of it')
      if (key !== toWireName(field.name) && typeof sent !== 'string') throw at(path, 'must be a string of base64')
      converted[field.name] = convert(field.type, sent, path, fromUrl)
    }
    // It is a value there: what is absent.
    else if (sent === null && getNamedType(field.type).name === 'Condition') converted[field.name] = null
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

/** A vector may come under its name, or under its name with this as text: openapi.json says which form is where. */
export const base64Suffix = '_base64'

export const isVector = ({ type }: GraphQLInputField) => getNamedType(type).name === 'Vector'

/** Fields by their wire names, cached per type: a batch has the same type a thousand times. */
function wireFields(type: GraphQLInputObjectType): Map<string, GraphQLInputField> {
  const known = fieldsByType.get(type)
  if (known !== undefined) return known
  const fields = new Map(
    Object.values(type.getFields()).flatMap((field) => {
      const name = toWireName(field.name)
      return [name, ...(isVector(field) ? [`${name}${base64Suffix}`] : [])].map((one) => [one, field] as const)
    }),
  )
  fieldsByType.set(type, fields)
  return fields
}

interface Reader {
  /** Whether a JSON value is valid for the scalar. It then stands for itself. */
  accepts(value: unknown): boolean
  phrase: string
  /** Parses text from a URL. Invalid text is returned unchanged and is then refused. */
  fromText(text: string): unknown
  /** Of an integer. */
  bits?: number
}

const toInteger = (text: string) => (/^-?\d{1,16}$/.test(text) ? Number(text) : text)
const text: Reader = {
  accepts: (value) => typeof value === 'string' && isCleanText(value),
  phrase: 'must be a string',
  fromText: (sent) => sent,
}
const integer = { phrase: 'must be an integer', fromText: toInteger }
const readers: Readonly<Record<string, Reader>> = {
  String: text,
  ID: text,
  Boolean: {
    accepts: (value) => typeof value === 'boolean',
    phrase: 'must be true or false',
    fromText: (sent) => (sent === 'true' ? true : sent === 'false' ? false : sent),
  },
  Int: { ...integer, accepts: (value) => typeof value === 'number' && (value | 0) === value, bits: 31 },
  SafeInt: { ...integer, accepts: Number.isSafeInteger, bits: 53 },
  Float: {
    accepts: Number.isFinite,
    phrase: 'must be a number',
    fromText: (sent) => (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(sent) ? Number(sent) : sent),
  },
}

function readScalar(type: GraphQLScalarType, sent: unknown, path: Path, fromUrl: boolean): unknown {
  const reader = readers[type.name]
  if (reader) {
    const value = fromUrl && typeof sent === 'string' ? reader.fromText(sent) : sent
    if (!reader.accepts(value)) throw at(path, problemOf(reader, value))
    return value
  }
  try {
    return type.coerceInputValue(sent)
  } catch (error) {
    if (error instanceof InvalidInputError) throw at([...path, ...error.field], error.problem)
    throw at(path, error instanceof Error ? error.message : 'is invalid')
  }
}

function problemOf(reader: Reader, value: unknown): string {
  if (reader === text && typeof value === 'string') return 'must not contain NUL or an unpaired surrogate'
  return reader.bits !== undefined && Number.isInteger(value)
    ? `${reader.phrase} of at most ${reader.bits} bits`
    : reader.phrase
}
