import { GraphQLError, Kind, type ValueNode, valueFromASTUntyped } from 'graphql'
import { builder } from '../../builder/builder.ts'

function safeInt(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw new GraphQLError('must be an integer')
}

builder.scalarType('SafeInt', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-6',
  description: 'An integer of up to 53 bits: times in epoch milliseconds, sequence numbers, counts.',
  serialize: safeInt,
  parseValue: safeInt,
  parseLiteral: (node) => safeInt(node.kind === Kind.INT ? Number(node.value) : undefined),
})

/** One pass over the list; a float32 overflow counts as not finite. */
function vector(value: unknown): Float32Array {
  const values = new Float32Array(Array.isArray(value) ? value.length : 0)
  if (!Array.isArray(value) || !copyFinite(value, values)) throw new GraphQLError('must be a list of finite numbers')
  return values
}

/** False at the first value that is not a finite number. */
function copyFinite(from: readonly unknown[], to: Float32Array): boolean {
  for (let i = 0; i < from.length; i++) {
    const value = from[i]
    if (typeof value !== 'number') return false
    to[i] = value
    if (!Number.isFinite(to[i])) return false
  }
  return true
}

builder.scalarType('Vector', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-5',
  description: 'An embedding: a list of finite numbers, kept as float32.',
  serialize: (values) => [...values],
  parseValue: vector,
  parseLiteral: (node) => vector(valueFromASTUntyped(node as ValueNode)),
})

function bytes(value: unknown): Uint8Array {
  if (typeof value !== 'string' || value.length % 4 !== 0) throw new GraphQLError('must be base64')
  const decoded = Buffer.from(value, 'base64')
  // The decoder skips invalid characters and accepts base64url, so this checks the length and these two letters. It is
  // much faster than a pattern over megabytes.
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0
  if (decoded.length !== (value.length / 4) * 3 - padding || value.includes('-') || value.includes('_')) {
    throw new GraphQLError('must be base64')
  }
  return decoded
}

builder.scalarType('Bytes', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc4648#section-4',
  description: 'Bytes as padded base64.',
  serialize: (value) => Buffer.from(value).toString('base64'),
  parseValue: bytes,
})

builder.scalarType('JSON', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  description: 'Any JSON value.',
  serialize: (value) => value,
})

builder.scalarType('Metadata', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-4',
  description:
    "A flat object of the caller's own keys: strings, numbers, booleans and lists of strings. Keys stay as sent.",
  serialize: (value) => value,
})
