import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

/** SHA-256 over everything that the caller sent of a Unit: equal hashes mean that sending it again changes nothing. */
export function contentHash(content: object, vector: Float32Array | undefined): string {
  const hash = createHash('sha256').update(`${canonicalize(content)}`)
  if (vector) hash.update(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
  return hash.digest('hex')
}
