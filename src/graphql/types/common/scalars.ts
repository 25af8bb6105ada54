import { GraphQLError, Kind, type ValueNode, valueFromASTUntyped } from 'graphql'
import { decodeBase64 } from '../../../domain/input/base64.ts'
import { readVector, type SentVector } from '../../../domain/input/vector.ts'
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

function vector(value: unknown): SentVector {
  const read = readVector(value)
  if (typeof read === 'string') throw new GraphQLError(read)
  return read
}

builder.scalarType('Vector', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-5',
  description:
    'An embedding, kept by its direction: scaled to length 1, as float32. A list of finite numbers, or base64 of little-endian float32 values, which is much faster to read.',
  serialize: (values) => [...values],
  parseValue: vector,
  parseLiteral: (node) => vector(valueFromASTUntyped(node as ValueNode)),
})

function bytes(value: unknown): Uint8Array {
  const isPadded = typeof value === 'string' && value.length % 4 === 0
  const decoded = isPadded ? decodeBase64(value) : null
  if (decoded === null) throw new GraphQLError('must be base64')
  return new Uint8Array(decoded)
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
