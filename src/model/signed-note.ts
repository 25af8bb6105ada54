import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto'

/** Signed notes with Ed25519, as described in https://c2sp.org/signed-note. */

/** A signer's public identity. Written `<name>+<key ID, 8 hex digits>+<base64 of type byte and public key>`. */
export interface NoteVerifier {
  name: string
  keyId: string
  publicKey: KeyObject
}

export interface NoteSigner {
  name: string
  privateKey: KeyObject
}

const ed25519 = 1
const signaturePrefix = '\u2014 '
/** DER of an Ed25519 public key, and of a private key, before the 32 bytes of the key: RFC 8410. */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The private key of an Ed25519 seed of 32 bytes. */
export const privateKeyOf = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })

export function verifierOf({ name, privateKey }: NoteSigner): NoteVerifier {
  const publicKey = createPublicKey(privateKey)
  return { name, keyId: keyIdOf(name, encoded(publicKey)), publicKey }
}

export const formatVerifier = ({ name, keyId, publicKey }: NoteVerifier): string =>
  `${name}+${keyId}+${encoded(publicKey).toString('base64')}`

/** Null for a text that is not an Ed25519 verifier key. */
export function parseVerifier(text: string): NoteVerifier | null {
  const [, name = '', keyId = '', key = ''] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text.trim()) ?? []
  const bytes = Buffer.from(key, 'base64')
  if (bytes.length !== 33 || bytes[0] !== ed25519 || keyIdOf(name, bytes) !== keyId) return null
  const der = Buffer.concat([spkiPrefix, bytes.subarray(1)])
  return { name, keyId, publicKey: createPublicKey({ key: der, format: 'der', type: 'spki' }) }
}

/** `text` ends in a newline and has no other control characters than newlines. */
export function signNote(text: string, signer: NoteSigner): string {
  const { keyId } = verifierOf(signer)
  const signature = sign(null, Buffer.from(text), signer.privateKey)
  const line = Buffer.concat([Buffer.from(keyId, 'hex'), signature]).toString('base64')
  return `${text}\n${signaturePrefix}${signer.name} ${line}\n`
}

/** The text of a note signed by one of these; null for anything else. */
export const openNote = (note: string, verifiers: readonly NoteVerifier[]): string | null =>
  checkSignatures(note, verifiers) === 'good' ? (splitNote(note)?.text ?? null) : null

/**
 * A forged signature of a known key makes a note invalid, even if others signed it. A text that is not a note is
 * invalid too.
 */
export function checkSignatures(note: string, verifiers: readonly NoteVerifier[]): 'good' | 'bad' | 'unknown' {
  const parts = splitNote(note)
  if (parts === null) return 'bad'
  let isSigned = false
  for (const { name, keyId, signature } of parts.signatures) {
    const verifier = verifiers.find((known) => known.name === name && known.keyId === keyId)
    if (!verifier) continue
    if (!verify(null, Buffer.from(parts.text), verifier.publicKey, signature)) return 'bad'
    isSigned = true
  }
  return isSigned ? 'good' : 'unknown'
}

interface Signature {
  name: string
  keyId: string
  signature: Buffer
}

function splitNote(note: string): { text: string; signatures: Signature[] } | null {
  const end = note.lastIndexOf('\n\n')
  const isPlain = [...note].every((character) => character >= ' ' || character === '\n')
  if (end < 0 || !note.endsWith('\n') || !isPlain) return null
  const signatures = note
    .slice(end + 2, -1)
    .split('\n')
    .map(parseSignature)
  return signatures.includes(null)
    ? null
    : { text: note.slice(0, end + 1), signatures: signatures.filter((signature) => signature !== null) }
}

function parseSignature(line: string): Signature | null {
  const [, name = '', base64 = ''] = /^\u2014 ([^+\s]+) (\S+)$/.exec(line) ?? []
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length < 5) return null
  return { name, keyId: bytes.toString('hex', 0, 4), signature: bytes.subarray(4) }
}

/** Type byte and the 32 bytes of the public key. */
const encoded = (publicKey: KeyObject): Buffer =>
  Buffer.concat([Buffer.of(ed25519), publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)])

const keyIdOf = (name: string, key: Buffer): string =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), key]), 'hex').slice(0, 8)
