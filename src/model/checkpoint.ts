import { z } from 'zod'
import { parseJson } from './json.ts'

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

/** A signed checkpoint as it is stored. Only the note is proof; the other fields say which log it belongs to. */
export interface AnchoredCheckpoint {
  namespaceId: string
  /** The number of rows that it covers. */
  size: number
  /** Epoch milliseconds. */
  time: number
  /** The signed note, verbatim. */
  note: string
}

const whole = z.int().min(0)
const record = z.object({ namespace_id: z.string(), size: whole, time: whole, note: z.string() })

/** One line of JSON, `{namespace_id, size, time, note}`, without the newline. */
export const formatAnchored = ({ namespaceId, size, time, note }: AnchoredCheckpoint): string =>
  JSON.stringify({ namespace_id: namespaceId, size, time, note })

/** Null for a line that `formatAnchored` did not write for this namespace, such as a truncated line. */
export function parseAnchored(line: string, namespaceId: string): AnchoredCheckpoint | null {
  const { data } = record.safeParse(parseJson(line))
  if (data?.namespace_id !== namespaceId) return null
  return { namespaceId, size: data.size, time: data.time, note: data.note }
}

/** A namespace's id becomes a file or object name in the anchor: it must not lead to any other place. */
export function anchorName(namespaceId: string): string {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(namespaceId)) throw new RangeError('a namespace id is A-Z a-z 0-9 _ -')
  return namespaceId
}
