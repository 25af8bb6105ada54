const segments = /^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/

/** Returns the key. Neither `.` nor an empty segment can occur, so no key leads out of where it is put; else a RangeError. */
export function objectKey(key: string): string {
  if (!segments.test(key)) throw new RangeError('an object key is /-separated segments of A-Z a-z 0-9 _ -')
  return key
}
