import type { Metadata } from './unit.ts'

export const documentStatuses = ['queued', 'running', 'ready', 'failed'] as const
export type DocumentStatus = (typeof documentStatuses)[number]

/** Why a document could not be read, or its Units not be written. */
export const documentReasons = [
  'unsupported',
  'empty',
  'locked',
  'malformed',
  'too_large',
  'too_many_units',
  'timeout',
  'out_of_memory',
  'forbidden',
  'upgrade_required',
  'quota_exceeded',
  'source_missing',
  'internal',
] as const
export type DocumentReason = (typeof documentReasons)[number]

/** A file, and how its Units are to be. */
export interface DocumentVersion {
  /** A path; the Units' `metadata.path`. */
  name: string
  sourceUri: string
  mime: string
  bytes: number
  /** Hex. */
  sha256: string
  /** Text that was sent beside the file. */
  sidecar: string | null
  aclGroups: readonly string[]
  metadata: Metadata
}

/** The version whose Units are found. */
export interface FoundVersion extends DocumentVersion {
  /** The file holds Units with fields of their own (JSONL). */
  asGiven: boolean
  /** Since when, epoch milliseconds. */
  at: number
}

/** A document in the catalog: what was sent last, and the version whose Units are found. */
export interface DocumentRecord extends DocumentVersion {
  namespaceId: string
  documentId: string
  scopeId: string
  docId: string
  writer: string
  /** The document that holds it as an attachment or picture. */
  parentId: string | null
  /** 0 for a file that was sent; its attachments have 1. */
  level: number
  /** Parse even what is unchanged. */
  force: boolean
  /** The key that it was sent with: it is parsed with the rights of the writer and this key. */
  keyHash: string | null
  requestId: string
  found: FoundVersion | null
  status: DocumentStatus
  reason: DocumentReason | null
  detail: string | null
  /** Tries of this version that have ended. */
  attempts: number
  /** Models have failed to read its pictures or recordings, and are called again then. Epoch milliseconds. */
  textDueAt: number | null
  /** Grows with everything that is sent. */
  version: number
  createdAt: number
  updatedAt: number
}

/** The docId of an attachment: at most 128 characters, as all of them. */
export const maxDocIdLength = 128
