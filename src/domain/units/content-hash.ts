import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Acl, Metadata } from '../../model/unit.ts'

/** The fields that may change without a new embedding. */
interface Changeable {
  acl: Acl
  metadata: Metadata
  title: string | null
}

const digestOf = (value: object) => hash('sha256', `${canonicalize(value)}`)

/**
 * SHA-256 over everything that the caller sent for a Unit: equal hashes mean that sending it again changes nothing.
 * Fields that may change in place have their own digest, after a dot, so that a change does not need the rest.
 */
export function contentHash(
  { acl, metadata, title, ...rest }: Changeable & object,
  vector: Float32Array | undefined,
): string {
  const fixed = vector
    ? hash('sha256', Buffer.concat([Buffer.from(`${canonicalize(rest)}`), bytesOf(vector)]))
    : digestOf(rest)
  return rehash(fixed, { acl, metadata, title })
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array) => new Uint8Array(buffer, byteOffset, byteLength)

/** The hash of the same content with other changeable fields. A Unit without a title has the hash of before titles. */
export function rehash(known: string, { title, ...fields }: Changeable): string {
  const [fixed] = known.split('.')
  return `${fixed}.${digestOf(title === null ? fields : { ...fields, title })}`
}
