import { concat, encode, equal, fromBase64, sha256, toHex } from './bytes.ts'

/** The signed head of a log, as in c2sp.org/tlog-checkpoint. */
export interface Head {
  origin: string
  /** Number of rows. */
  size: number
  root: Uint8Array
}

/** A checkpoint as REST returns it, or its note alone. */
export type SignedCheckpoint =
  | string
  | { note: string; namespace?: string; origin?: string; size?: number; root_hash?: string }

const ed25519 = 1

/**
 * Opens a signed note (c2sp.org/signed-note) with the verifier key `<name>+<id>+<base64>`. Only what is signed counts.
 * Returns the reason if the key did not sign it, or if another member of the checkpoint contradicts it.
 */
export async function openCheckpoint(checkpoint: SignedCheckpoint, verifierKey: string): Promise<Head | string> {
  const note = typeof checkpoint === 'string' ? checkpoint : checkpoint.note
  const key = await parseKey(verifierKey)
  if (key === null) return 'the verifier key is malformed'
  const end = note.lastIndexOf('\n\n')
  if (end < 0) return 'the checkpoint is not a signed note'
  const text = note.slice(0, end + 1)
  const signatures = note
    .slice(end + 2)
    .split('\n')
    .flatMap((line) => signatureOf(line, key))
  if (signatures.length === 0) return 'the checkpoint is not signed by the verifier key'
  for (const signature of signatures) {
    if (!(await crypto.subtle.verify('Ed25519', key.publicKey, signature, encode(text)))) {
      return 'the signature of the checkpoint is invalid'
    }
  }
  const [origin = '', size = '', root = ''] = text.split('\n')
  const bytes = fromBase64(root)
  if (origin === '' || !/^(0|[1-9]\d{0,15})$/.test(size) || bytes?.length !== 32) return 'the note is not a checkpoint'
  const head = { origin, size: Number(size), root: bytes }
  return (typeof checkpoint === 'string' ? null : contradiction(checkpoint, head)) ?? head
}

function contradiction(
  { namespace, origin, size, root_hash }: Exclude<SignedCheckpoint, string>,
  head: Head,
): string | null {
  const isOther =
    (namespace !== undefined && !isOf(head, namespace)) ||
    (origin !== undefined && origin !== head.origin) ||
    (size !== undefined && size !== head.size) ||
    (root_hash !== undefined && !equal(fromBase64(root_hash) ?? new Uint8Array(0), head.root))
  return isOther ? 'the checkpoint says other than its signed note' : null
}

/** An origin is `<brand>/audit/<namespace>`. */
export const isOf = ({ origin }: Head, namespace: string): boolean => origin.endsWith(`/audit/${namespace}`)

interface Key {
  name: string
  id: string
  publicKey: CryptoKey
}

async function parseKey(text: string): Promise<Key | null> {
  const [, name = '', id = '', base64 = ''] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text.trim()) ?? []
  const bytes = fromBase64(base64)
  if (bytes?.length !== 33 || bytes[0] !== ed25519) return null
  const ownId = toHex(await sha256(concat(encode(`${name}\n`), bytes))).slice(0, 8)
  if (ownId !== id) return null
  return { name, id, publicKey: await crypto.subtle.importKey('raw', bytes.slice(1), 'Ed25519', false, ['verify']) }
}

/** The signature of a line, if it names this key. */
function signatureOf(line: string, { name, id }: Key): Uint8Array<ArrayBuffer>[] {
  const [, signer, base64 = ''] = /^\u2014 ([^+\s]+) (\S+)$/.exec(line) ?? []
  const bytes = fromBase64(base64)
  return signer === name && bytes && toHex(bytes.subarray(0, 4)) === id ? [bytes.slice(4)] : []
}
