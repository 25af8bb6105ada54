import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Acl, Metadata } from '../../model/unit.ts'

/** The fields that may change without a new embedding. */
interface Changeable {
  acl: Acl
  metadata: Metadata
  title: string | null
}

const digestOf = (value: object) => createHash('sha256').update(`${canonicalize(value)}`)

/**
 * SHA-256 over everything that the caller sent for a Unit: equal hashes mean that sending it again changes nothing.
 * Fields that may change in place have their own digest, after a dot, so that a change does not need the rest.
 */
export function contentHash(
  { acl, metadata, title, ...rest }: Changeable & object,
  vector: Float32Array | undefined,
): string {
  const hash = digestOf(rest)
  if (vector) hash.update(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
  return rehash(hash.digest('hex'), { acl, metadata, title })
}

/** The hash of the same content with other changeable fields. A Unit without a title has the hash of before titles. */
export function rehash(hash: string, { title, ...fields }: Changeable): string {
  const [fixed] = hash.split('.')
  return `${fixed}.${digestOf(title === null ? fields : { ...fields, title }).digest('hex')}`
}
