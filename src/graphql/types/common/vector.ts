import { GraphQLError } from 'graphql'
import { decodeBase64 } from './base64.ts'

/** A vector in one of its two forms on the wire. */
export function readVector(value: unknown): Float32Array {
  if (typeof value === 'string') return fromBase64(value)
  const values = new Float32Array(Array.isArray(value) ? value.length : 0)
  if (!Array.isArray(value) || !copyFinite(value, values)) throw new GraphQLError('must be a list of finite numbers')
  return values
}

/** One pass over the list; a float32 overflow counts as not finite. False at the first value that is not a finite number. */
function copyFinite(from: readonly unknown[], to: Float32Array): boolean {
  for (let i = 0; i < from.length; i++) {
    const value = from[i]
    if (typeof value !== 'number') return false
    to[i] = value
    if (!Number.isFinite(to[i])) return false
  }
  return true
}

/** The byte order of the wire is that of every platform that Node supports. Whether the values are finite is checked later. */
function fromBase64(text: string): Float32Array {
  const bytes = decodeBase64(text)
  if (bytes === null) throw new GraphQLError('must be a list of finite numbers, or standard base64')
  if (bytes.byteLength % 4 !== 0) throw new GraphQLError('must be base64 of float32 values: 4 bytes for each number')
  return new Float32Array(bytes)
}
