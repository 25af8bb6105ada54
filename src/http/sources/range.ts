import type { ByteRange } from '../../model/exact-bytes.ts'

/**
 * The part of `bytes` bytes that a header Range asks for (RFC 9110, 14.2). Null for all of them: without a range, for one
 * that cannot be read, and for several. `unsatisfiable` for a range outside.
 */
export function rangeOf(header: string | undefined, bytes: number): ByteRange | 'unsatisfiable' | null {
  const [, from = '', to = ''] = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '') ?? []
  if (from === '' && to === '') return null
  if (from === '') {
    const length = Math.min(Number(to), bytes)
    return length === 0 ? 'unsatisfiable' : { start: bytes - length, end: bytes - 1 }
  }
  const start = Number(from)
  const end = to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1)
  if (to !== '' && Number(to) < start) return null
  return start >= bytes ? 'unsatisfiable' : { start, end }
}
