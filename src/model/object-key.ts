const segments = /^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/

/**
 * Returns the key. It cannot contain `.` or an empty segment, so it cannot lead out of its directory. Otherwise throws
 * a RangeError.
 */
export function objectKey(key: string): string {
  if (!segments.test(key)) throw new RangeError('an object key is /-separated segments of A-Z a-z 0-9 _ -')
  return key
}

/** Bytes from `start` up to and including `end`. */
export interface ByteRange {
  start: number
  end: number
}

/** Passes the chunks on. Throws a RangeError when they are not exactly `bytes` bytes, at the first byte too many. */
export async function* exactly(chunks: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let passed = 0
  for await (const chunk of chunks) {
    passed += chunk.byteLength
    if (passed > bytes) break
    yield chunk
  }
  if (passed !== bytes) throw new RangeError(`expected ${bytes} bytes, and got ${passed > bytes ? 'more' : passed}`)
}
