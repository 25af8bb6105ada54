import type { DocumentReason, DocumentRecord, DocumentStatus, FoundVersion } from '../../model/document.ts'
import type { Acl, Metadata, Modality, Plane } from '../../model/unit.ts'
import type { Visibility } from './visibility.ts'

/** A document as one reader sees it. */
export interface SeenDocument {
  record: DocumentRecord
  scope: string
  /** The reader wrote it. */
  own: boolean
  /** Live Units of it that the reader may read. */
  units: number
  /** Whether the reader sees its parent too. */
  seesParent: boolean
}

export interface DocumentFilter {
  ids?: readonly string[] | undefined
  status?: DocumentStatus | undefined
  docIdPrefix?: string | undefined
}

/** How a run ended. `dueAt` is when it may be tried again, epoch milliseconds. */
export interface RunEnd {
  status: 'queued' | 'ready' | 'failed'
  reason: DocumentReason | null
  detail: string | null
  attempts: number
  dueAt: number
}

/** A started run. Only its holder may end it, while the document has this version. */
export interface HeldRun {
  namespaceId: string
  documentId: string
  version: number
  holder: string
}

export interface DocumentReader {
  /**
   * By docId. The writer sees its own documents, others those with a live Unit that they may read, as they are found.
   * A document whose version was found and that has no live Unit left is gone, unless another version is coming.
   */
  list(
    visibility: Visibility,
    principalId: string,
    filter: DocumentFilter,
    page: { cursor: number; limit: number },
  ): Promise<SeenDocument[]>
  /** The documents directly inside of this one. */
  children(namespaceId: string, documentId: string): Promise<DocumentRecord[]>
  /** Vectors of this model in a plane, of the document's live Units, by the SHA-256 (hex) of the text. */
  vectors(namespaceId: string, documentId: string, plane: Plane, model: string): Promise<Map<string, Float32Array>>
  /** Changes whenever a document or Unit of the namespace does. */
  state(namespaceId: string): Promise<string>
  /** The uploaded source with this URI that this principal uploaded and that is not being purged. */
  source(namespaceId: string, uri: string, createdBy: string): Promise<UploadedSource | null>
  /**
   * Starts the run of a document that is due, for `ttlMs`: one that waits, or whose run lost its holder. Namespaces with
   * fewer runs come first. Last come ready documents whose text is due; they stay ready. Null when there is nothing to do.
   */
  claim(holder: string, now: number, ttlMs: number): Promise<ClaimedDocument | null>
  /** Extends the runs of a holder. */
  renew(holder: string, ttlMs: number): Promise<void>
  /** For the only process of a catalog, when it starts: all earlier runs have lost their holder. */
  reopen(): Promise<void>
  /** Ends the run of a ready document; null when its text has come, or never will. */
  readAgain(run: HeldRun, textDueAt: number | null): Promise<void>
  /** Returns false when the run is not held any more. */
  end(run: HeldRun, end: RunEnd, now: number): Promise<boolean>
}

/** A document to parse, with the name of its namespace and the path of its scope. */
export interface ClaimedDocument {
  record: DocumentRecord
  namespace: string
  scope: string
}

export interface UploadedSource {
  id: string
  uri: string
  mime: string
  bytes: number
  sha256: string
}

/** A Unit of a document, live or tombstoned. `textHash` is the SHA-256 of its text, hex. */
export interface DocumentUnit {
  unitId: string
  state: 'live' | 'tombstoned'
  scopeId: string
  externalId: string | null
  plane: Plane
  modality: Modality
  sourceUri: string | null
  sourceByWriter: boolean
  acl: Acl
  metadata: Metadata
  title: string | null
  contentHash: string
  embedPending: boolean
  textHash: string | null
}

/** Writes of documents, under the head row of their namespace. */
export interface DocumentWriter {
  find(scopeId: string, writer: string, docIds: readonly string[]): Promise<DocumentRecord[]>
  get(documentIds: readonly string[]): Promise<DocumentRecord[]>
  /** These and the documents inside them, at every level. */
  withChildren(documentIds: readonly string[]): Promise<DocumentRecord[]>
  /** Writes a document as it is. One that is queued may run from `dueAt` on. A run of an earlier version loses its hold. */
  put(document: DocumentRecord, dueAt: number): Promise<void>
  /** Makes this the version whose Units are found, with text that is due then, or with all of it. The run continues. */
  setFound(documentId: string, found: FoundVersion, textDueAt: number | null): Promise<void>
  /** Whether the run may still write, and the document as it is now. Locks the row. */
  held(run: HeldRun): Promise<boolean>
  remove(documentIds: readonly string[]): Promise<void>
  /** Purges these sources where nothing names them any more. Returns those that it purges. */
  purgeSources(uris: readonly string[], writer: string, now: number): Promise<string[]>
  /** In ingest order. */
  units(documentId: string): Promise<DocumentUnit[]>
  /** Makes these Units those of the document. */
  take(documentId: string, unitIds: readonly string[]): Promise<void>
  /** Those of these documents that have a live Unit, and those without Units that have such documents inside. */
  withUnits(documentIds: readonly string[]): Promise<ReadonlySet<string>>
}
