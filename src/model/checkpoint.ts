/** The head of a log's Merkle tree, in the format of https://c2sp.org/tlog-checkpoint: the text of a signed note. */
export interface Checkpoint {
  /** Which log: also the name of the key that signs. */
  origin: string
  /** Rows that the tree holds. */
  size: number
  root: Uint8Array
}

/** A checkpoint with its signature, as it was given out. */
export interface SignedCheckpoint extends Checkpoint {
  /** Epoch milliseconds; not part of what is signed. */
  time: number
  note: string
}

/** Names of brands and namespaces hold neither spaces nor `+`, which a note could not carry. */
export const originOf = (brand: string, namespace: string): string => `${brand}/audit/${namespace}`

export const formatCheckpoint = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`

/** Null for a text that is no checkpoint. Lines after the third are extensions that mean nothing here. */
export function parseCheckpoint(text: string): Checkpoint | null {
  const [origin = '', size = '', root = ''] = text.split('\n')
  const bytes = Buffer.from(root, 'base64')
  if (origin === '' || !/^(0|[1-9]\d{0,15})$/.test(size) || bytes.length !== 32) return null
  return { origin, size: Number(size), root: bytes }
}
