import type { DocumentReason, DocumentStatus } from '../../model/document.ts'
import type { Metadata } from '../../model/unit.ts'
import type { SeenDocument } from '../../ports/catalog/documents.ts'

/** A document as a caller sees it. */
export interface DocumentView {
  documentId: string
  docId: string
  scope: string
  name: string
  mime: string
  bytes: number
  sha256: string | null
  sourceUri: string | null
  status: DocumentStatus
  reason: DocumentReason | null
  detail: string | null
  units: number
  metadata: Metadata
  aclGroups: readonly string[]
  parent: string | null
  attempts: number
  createdAt: number
  updatedAt: number
}

/**
 * The writer sees what it sent last and how that fares. Everyone else sees the version whose Units are found, and
 * nothing of another one that is coming or has failed.
 */
export function viewOf({ record, scope, own, units, seesParent }: SeenDocument): DocumentView {
  const { documentId, docId, found, parentId, createdAt } = record
  const { name, mime, bytes, metadata, aclGroups } = own ? record : (found ?? record)
  return {
    documentId,
    docId,
    scope,
    name,
    mime,
    bytes,
    sha256: found?.sha256 ?? null,
    sourceUri: found?.sourceUri ?? null,
    status: own ? record.status : 'ready',
    reason: own ? record.reason : null,
    detail: own ? record.detail : null,
    units,
    metadata,
    aclGroups,
    parent: seesParent ? parentId : null,
    attempts: own ? record.attempts : 0,
    createdAt,
    updatedAt: own ? record.updatedAt : (found?.at ?? createdAt),
  }
}
