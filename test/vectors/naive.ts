import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'

/** The formats of the audit log once more, as plainly as their specifications put them and apart from `src`. */

export type Row = Record<string, unknown>

const sha256 = (...parts: readonly (Uint8Array | string)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

/** RFC 8785: names in the order of their UTF-16 units, strings and numbers as ECMAScript writes them. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`
}

/** Links rows to a chain, from `prev` on. */
export function chained(bodies: readonly Row[], prev = '0'.repeat(64)): Row[] {
  let last = prev
  return bodies.map((body) => {
    const row = { ...body, prev_hash: last, hash: sha256(Buffer.from(last, 'hex'), canonical(body)).toString('hex') }
    last = row.hash
    return row
  })
}

const leafOf = ({ hash: _, prev_hash: __, ...body }: Row): Buffer => sha256(Buffer.of(0), canonical(body))

/** MTH of RFC 6962, section 2.1. */
export function treeHash(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves
  if (only === undefined) return sha256()
  if (leaves.length === 1) return only
  const k = splitOf(leaves.length)
  return sha256(Buffer.of(1), treeHash(leaves.slice(0, k)), treeHash(leaves.slice(k)))
}

/** PATH of RFC 6962, section 2.1.1. */
export function inclusionProof(m: number, leaves: readonly Uint8Array[]): Uint8Array[] {
  if (leaves.length === 1) return []
  const k = splitOf(leaves.length)
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)]
  return m < k ? [...inclusionProof(m, left), treeHash(right)] : [...inclusionProof(m - k, right), treeHash(left)]
}

/** SUBPROOF of RFC 6962, section 2.1.2. */
export function consistencyProof(m: number, leaves: readonly Uint8Array[], isWhole = true): Uint8Array[] {
  if (m === leaves.length) return isWhole ? [] : [treeHash(leaves)]
  const k = splitOf(leaves.length)
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)]
  return m <= k
    ? [...consistencyProof(m, left, isWhole), treeHash(right)]
    : [...consistencyProof(m - k, right, false), treeHash(left)]
}

/** The largest power of two below n. */
function splitOf(n: number): number {
  let k = 1
  while (k * 2 < n) k *= 2
  return k
}

/** An Ed25519 key whose seed is the hash of a phrase: whoever reads this can sign with it. */
export const keyFrom = (phrase: string): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), sha256(phrase)]),
    format: 'der',
    type: 'pkcs8',
  })

/** Type byte and public key, as c2sp.org/signed-note hashes and writes it. */
const encoded = (key: KeyObject): Buffer =>
  Buffer.concat([Buffer.of(1), createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)])

const keyId = (name: string, key: KeyObject): Buffer => sha256(`${name}\n`, encoded(key)).subarray(0, 4)

export const verifierKey = (name: string, key: KeyObject): string =>
  `${name}+${keyId(name, key).toString('hex')}+${encoded(key).toString('base64')}`

/** A note of c2sp.org/signed-note over a text that ends in a newline. */
export function note(text: string, name: string, key: KeyObject): string {
  const signature = Buffer.concat([keyId(name, key), sign(null, Buffer.from(text), key)])
  return `${text}\n\u2014 ${name} ${signature.toString('base64')}\n`
}

/** The text of c2sp.org/tlog-checkpoint. */
export const checkpointText = (origin: string, rows: readonly Row[]): string =>
  `${origin}\n${rows.length}\n${Buffer.from(treeHash(rows.map(leafOf))).toString('base64')}\n`
