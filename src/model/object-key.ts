const segments = /^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/

/**
 * Returns the key. It cannot contain `.` or an empty segment, so it cannot lead out of its directory. Otherwise throws
 * a RangeError.
 */
export function objectKey(key: string): string {
  if (!segments.test(key)) throw new RangeError('an object key is /-separated segments of A-Z a-z 0-9 _ -')
  return key
}
