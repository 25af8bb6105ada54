/** The head of a log's Merkle tree, in the format of https://c2sp.org/tlog-checkpoint: the text of a signed note. */
export interface Checkpoint {
  /** The name of the log, and also of the signing key. */
  origin: string
  /** The number of rows in the tree. */
  size: number
  root: Uint8Array
}

/** A checkpoint with its signature, as it was published. */
export interface SignedCheckpoint extends Checkpoint {
  /** Epoch milliseconds; not part of the signed text. */
  time: number
  note: string
}

/** Names of brands and namespaces have neither spaces nor `+`, which a note does not allow. */
export const originOf = (brand: string, namespace: string): string => `${brand}/audit/${namespace}`

export const formatCheckpoint = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`

/** Null for a text that is not a checkpoint. Lines after the third are extensions, which are ignored. */
export function parseCheckpoint(text: string): Checkpoint | null {
  const [origin = '', size = '', root = ''] = text.split('\n')
  const bytes = Buffer.from(root, 'base64')
  if (origin === '' || !/^(0|[1-9]\d{0,15})$/.test(size) || bytes.length !== 32) return null
  return { origin, size: Number(size), root: bytes }
}
