import { createHash } from 'node:crypto'
import { z } from 'zod'
import { BackupRefusedError } from '../../model/backup.ts'

/** Content of `backup.json`: what the folder is. */
export const marker = { format: 'multimodal-retrieval-backup', version: 1 } as const

/** The unit of comparison with the snapshot before: a page of the database. */
export const blockBytes = 8192

/** An object's content before compression is at most this long: it has 4 MiB at most as it is stored. */
export const objectBytes = 4 * 1024 * 1024 - blockBytes

const hex = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().min(0)

/**
 * Part of a file: `[object, offset, bytes]`, the place in the content of an object of the list `objects`; as object, -1
 * stands for zeros.
 */
const piece = z.tuple([z.int().min(-1), count, z.int().min(1)])

const file = z.object({
  /** Relative to the data directory, with `/`. A folder ends in `/`. */
  path: z.string(),
  bytes: count,
  pieces: z.array(piece),
  /** Where the prints of its blocks are: the first 16 bytes of the SHA-256 of each. */
  prints: z.array(piece),
})

const snapshot = z.object({
  id: z.string().regex(/^\d{8}T\d{6}Z-[0-9a-f]{8}$/),
  created_at: z.string(),
  as_of: z.string(),
  service_version: z.string().regex(/^\d+\.\d+\.\d+/),
  /** Whether `DATA_DIR/secrets` is in it. */
  keys: z.boolean(),
  counts: z.object({ namespaces: count, principals: count, units: count, sources: count, audit_rows: count }),
  heads: z.array(z.object({ namespace: z.string(), seq: count, hash: z.string() })),
  /** Bytes of its objects as they are stored, and of those that no snapshot had before. */
  bytes: count,
  added_bytes: count,
  /** `content`: bytes before compression. */
  objects: z.array(z.object({ sha256: hex, bytes: count, content: count })),
  files: z.array(file),
  sha256: hex,
})

export type Piece = z.infer<typeof piece>
export type SnapshotFile = z.infer<typeof file>
export type Snapshot = z.infer<typeof snapshot>
export type StoredObject = Snapshot['objects'][number]

/** The text of a snapshot's file: `sha256` is that of the text without it, `"sha256":""` in its place. */
export function formatSnapshot(unsigned: Omit<Snapshot, 'sha256'>): { text: string; sha256: string } {
  const draft = JSON.stringify({ ...unsigned, sha256: '' })
  const sha256 = createHash('sha256').update(draft).digest('hex')
  return { text: `${draft.slice(0, -emptyEnd.length)}"sha256":"${sha256}"}\n`, sha256 }
}

const emptyEnd = '"sha256":""}'
const signedEnd = /"sha256":"([0-9a-f]{64})"\}\n$/

/** Throws a `BackupRefusedError` that names `path` when the text is not a whole snapshot. */
export function parseSnapshot(text: string, path: string): Snapshot {
  const sha256 = signedEnd.exec(text)?.[1]
  const draft = text.replace(signedEnd, emptyEnd)
  if (sha256 === undefined || createHash('sha256').update(draft).digest('hex') !== sha256) {
    throw new BackupRefusedError(`${path} is damaged: its SHA-256 does not fit`)
  }
  const parsed = snapshot.safeParse(JSON.parse(text))
  if (!parsed.success) throw new BackupRefusedError(`${path} is not a snapshot of this format`)
  return parsed.data
}
