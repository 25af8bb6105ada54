import { z } from 'zod'
import { toUnitVector } from '../../model/unit.ts'

/**
 * The bytes of standard base64 (RFC 4648, section 4), with or without padding, in a buffer of their own. Null for any
 * other text.
 */
export function decodeBase64(text: string): ArrayBuffer | null {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const digits = text.length - padding
  if (digits % 4 === 1 || (padding > 0 && text.length % 4 !== 0)) return null
  // The decoder skips invalid characters and accepts base64url, so this checks the length and these two letters. It is
  // much faster than a pattern over megabytes.
  if (text.includes('-') || text.includes('_')) return null
  const bytes = new ArrayBuffer(Math.floor((digits * 3) / 4))
  return Buffer.from(bytes).write(text, 'base64') === bytes.byteLength ? bytes : null
}

/** The numbers of a vector as they were sent. */
export type SentVector = Float32Array | Float64Array

const maxDims = 4096

/** A vector in one of its two forms on the wire, or the problem with it. Whether its values are finite is checked later. */
export function readVector(value: unknown): SentVector | string {
  if (typeof value === 'string') return fromBase64(value)
  const values = Array.isArray(value) ? new Float64Array(value.length) : null
  return values && copyNumbers(value as unknown[], values) ? values : 'must be a list of finite numbers'
}

/** One pass over the list; false at the first value that is not a number. */
function copyNumbers(from: readonly unknown[], to: Float64Array): boolean {
  for (let i = 0; i < from.length; i++) {
    const value = from[i]
    if (typeof value !== 'number') return false
    to[i] = value
  }
  return true
}

/** The byte order of the wire is that of every platform that Node supports. */
function fromBase64(text: string): SentVector | string {
  const bytes = decodeBase64(text)
  if (bytes === null) return 'must be a list of finite numbers, or standard base64'
  if (bytes.byteLength % 4 !== 0) return 'must be base64 of float32 values: 4 bytes for each number'
  return new Float32Array(bytes)
}

/** From here on a number rounds to infinity as float32. */
const tooLarge = 2 ** 128 - 2 ** 103

/** Within float32. A loop, because `every` and `Math.fround` create an object for each of a batch's many numbers. */
function allFinite(values: SentVector): boolean {
  for (let i = 0; i < values.length; i++) if (!(Math.abs(values[i] ?? 0) < tooLarge)) return false
  return true
}

const isVector = (v: unknown): v is SentVector => v instanceof Float32Array || v instanceof Float64Array

/** A vector by its direction: float32, scaled to length 1. */
export const vector = z
  .custom<SentVector>(
    (v) => isVector(v) && v.length > 0 && v.length <= maxDims && allFinite(v),
    `must be 1 to ${maxDims} finite float32 numbers`,
  )
  .meta({ minItems: 1, maxItems: maxDims, scalar: 'Vector' })
  .transform((values, context): Float32Array => {
    const unit = toUnitVector(values)
    if (unit !== null) return unit
    context.addIssue({ code: 'custom', message: 'must have a direction: at least one number other than 0' })
    return z.NEVER
  })
