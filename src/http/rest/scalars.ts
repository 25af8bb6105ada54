import type { GraphQLScalarType } from 'graphql'
import { InvalidInputError } from '../../errors.ts'
import { isCleanText } from '../message.ts'
import { at } from './body.ts'

type Path = readonly (string | number)[]

interface Reader {
  /** Whether a JSON value is valid for the scalar. */
  accepts(value: unknown): boolean
  phrase: string
  /** Parses text from a URL. Invalid text is returned unchanged and is then refused. */
  fromText(text: string): unknown
}

const isInt32 = (value: unknown) => typeof value === 'number' && (value | 0) === value
const toInteger = (text: string) => (/^-?\d{1,16}$/.test(text) ? Number(text) : text)
const toNumber = (text: string) => (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text)
const toBoolean = (text: string) => (text === 'true' ? true : text === 'false' ? false : text)
const isText = (value: unknown) => typeof value === 'string' && isCleanText(value)

const text: Reader = { accepts: isText, phrase: 'must be a string', fromText: (t) => t }
const int: Reader = { accepts: isInt32, phrase: 'must be an integer', fromText: toInteger }
const safeInt: Reader = { accepts: Number.isSafeInteger, phrase: 'must be an integer', fromText: toInteger }
const readers = new Map<string, Reader>([
  ['String', text],
  ['ID', text],
  ['Boolean', { accepts: (v) => typeof v === 'boolean', phrase: 'must be true or false', fromText: toBoolean }],
  ['Int', int],
  ['SafeInt', safeInt],
  ['Float', { accepts: Number.isFinite, phrase: 'must be a number', fromText: toNumber }],
])

/** Parses text from a URL as this scalar. */
export function readText(type: GraphQLScalarType, value: string): unknown {
  return readers.get(type.name)?.fromText(value) ?? value
}

/**
 * Checks a value against the common scalars, without parsing it. The schema's own scalars (vectors, metadata) are left
 * to execution, which parses every variable: parsing a large batch of vectors twice would be slow.
 */
export function checkScalar(type: GraphQLScalarType, value: unknown, path: Path): void {
  const reader = readers.get(type.name)
  if (reader !== undefined && !reader.accepts(value)) {
    throw at(path, problemOf(reader, value))
  }
}

function problemOf(reader: Reader, value: unknown): string {
  if (reader === text && typeof value === 'string') return 'must not contain NUL or an unpaired surrogate'
  const bits = reader === int ? 31 : reader === safeInt ? 53 : undefined
  return bits !== undefined && Number.isInteger(value) ? `${reader.phrase} of at most ${bits} bits` : reader.phrase
}

/** Parses a value as its scalar does, to find out why execution refused it. */
export function explainScalar(type: GraphQLScalarType, value: unknown, path: Path): void {
  try {
    type.coerceInputValue(value)
  } catch (error) {
    if (error instanceof InvalidInputError) throw at([...path, ...error.field], error.problem)
    throw at(path, error instanceof Error ? error.message : 'is invalid')
  }
}
