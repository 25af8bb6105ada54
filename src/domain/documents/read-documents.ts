import { forbidden, notFound } from '../../errors.ts'
import type { DocumentReason, DocumentStatus } from '../../model/document.ts'
import { covers } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { Metadata } from '../../model/unit.ts'
import type { DocumentFilter, SeenDocument } from '../../ports/catalog.ts'
import { admit } from '../access/gate.ts'
import { visibilityOf } from '../access/visibility.ts'
import type { ReadRecorder } from '../audit/record-reads.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { DocumentsInput } from './document-input.ts'

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

export interface DocumentPage {
  documents: DocumentView[]
  nextCursor: number | null
}

type Deps = Pick<Bindings, 'catalog'>

/** Documents that the caller sees in the requested scopes. */
export async function seeDocuments(
  { catalog }: Deps,
  session: Session,
  filter: DocumentFilter,
  page = { cursor: 0, limit: filter.ids?.length ?? 0 },
): Promise<DocumentView[]> {
  const seen = await catalog.documents.list(visibilityOf(session, 'read'), session.principalId, filter, page)
  return seen.map(viewOf)
}

/** The session in a scope within the requested one. 403 for any other. */
export function within(session: Session, scope: string | undefined): Session {
  if (scope === undefined) return session
  if (!covers(session.requestedScope, scope))
    throw forbidden(`scope ${scope} must be within the requested scope ${session.requestedScope}`)
  return session.withScope(scope)
}

interface ReadDeps extends Deps {
  reads: ReadRecorder
}

/** The audit log records the read. 404 for one that is unknown, gone or hidden. */
export async function readDocument(
  { catalog, reads }: ReadDeps,
  session: Session,
  documentId: string,
): Promise<DocumentView> {
  admit(session, 'document')
  const [document] = await seeDocuments({ catalog }, session, { ids: [documentId] })
  if (!document) throw notFound('no such document: the id must be that of a document that you may see')
  await reads.gotDocument(session, document.documentId)
  return document
}

/** A page by docId; `cursor` is an offset among the documents that the caller sees. The audit log records the read. */
export async function listDocuments(
  { catalog, reads }: ReadDeps,
  session: Session,
  { scope, cursor, limit, ...filter }: DocumentsInput,
): Promise<DocumentPage> {
  const bound = within(session, scope)
  admit(bound, 'documents')
  const found = await seeDocuments({ catalog }, bound, filter, { cursor, limit: limit + 1 })
  const documents = found.slice(0, limit)
  await reads.listedDocuments(bound, { documents: documents.length, limit, cursor })
  return { documents, nextCursor: found.length > limit ? cursor + limit : null }
}
