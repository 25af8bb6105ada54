import { InvalidInputError } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import type { DocumentRecord, DocumentVersion } from '../../model/document.ts'
import { scopeHeader } from '../../model/request.ts'
import type { Session } from '../../model/session.ts'
import { aclOf } from '../../model/unit.ts'
import type { NamespaceWriter, UploadedSource } from '../../ports/catalog.ts'
import { admit } from '../access/gate.ts'
import type { BackgroundWork } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { byPath, ensureScope } from '../scopes/scopes.ts'
import { requireScope } from '../units/place-units.ts'
import type { IngestDocumentInput } from './document-input.ts'
import { type DocumentView, seeDocuments, viewOf } from './read-documents.ts'
import {
  changedAt,
  changeInPlace,
  docIdFor,
  followsInPlace,
  sameFile,
  sameOptions,
  sentOf,
  withPath,
} from './versions.ts'
import type { DocumentChanges } from './watch-documents.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'> & {
  brand: string
  indexer: Indexer
  ingestWaitMs: number
  runner: BackgroundWork
  changes: DocumentChanges
}

/**
 * Takes in a file that the caller uploaded; its Units follow in the background. What is there already is ready at once.
 * Errors: 403 for a scope without `write`, 400 for a source that the caller did not upload.
 */
export async function ingestDocument(deps: Deps, session: Session, input: IngestDocumentInput): Promise<DocumentView> {
  admit(session, 'ingestDocument')
  const scope = requireScope(session, input.scope, scopeHeader(deps.brand), ['scope'])
  const namespaceId = session.namespace.id
  const source = await deps.catalog.documents.source(namespaceId, input.sourceUri, session.principalId)
  if (!source) throw new InvalidInputError(['sourceUri'], 'must be a source that you uploaded')
  const name = input.name ?? source.name
  if (name === null) throw new InvalidInputError(['name'], 'is required: the source has no name')
  const sent = versionOf(name, input, source)
  const { record, seq } = await deps.catalog.transact(namespaceId, (tx) =>
    send(deps, session, tx, { scope, docId: input.docId ?? docIdFor(name), force: input.force, sent }),
  )
  deps.changes.changed(namespaceId)
  deps.runner.kick()
  // Where Units were changed in place: until searches see it, as for any write.
  if (seq !== null) await deps.indexer.waitFor(namespaceId, seq, deps.ingestWaitMs)
  const [seen] = await seeDocuments(deps, session.withScope(scope), { ids: [record.documentId] })
  // Units of a scope that was registered just now, or that the caller may not read, are not seen.
  return viewOf({ record, scope, own: true, units: seen?.units ?? 0, seesParent: true })
}

const versionOf = (
  name: string,
  input: IngestDocumentInput,
  { uri, mime, bytes, sha256 }: UploadedSource,
): DocumentVersion => ({
  name,
  sourceUri: uri,
  mime,
  bytes,
  sha256,
  sidecar: input.sidecar ?? null,
  aclGroups: aclOf('', input.aclGroups).groups,
  metadata: withPath(name, input.metadata ?? {}),
})

interface SentDocument {
  scope: string
  docId: string
  force: boolean
  sent: DocumentVersion
}

/** `seq` is that of Units changed in place, else null. */
interface IngestedDocument {
  record: DocumentRecord
  seq: number | null
}

async function send(
  deps: Deps,
  session: Session,
  tx: NamespaceWriter,
  { scope, docId, force, sent }: SentDocument,
): Promise<IngestedDocument> {
  const now = deps.clock.now()
  const scopes = byPath(await tx.scopes.list())
  await ensureScope(tx, scopes, scope, deps.random, now)
  const scopeId = scopes.get(scope)?.id ?? ''
  const [known] = await tx.ingested.find(scopeId, session.principalId, [docId])
  const isLive = known !== undefined && (await tx.ingested.withUnits([known.documentId])).size > 0
  const done = known && !force ? await keep(deps, session, tx, known, sent, isLive) : null
  if (done) return done
  const record: DocumentRecord = {
    ...sent,
    namespaceId: session.namespace.id,
    documentId: known?.documentId ?? deps.random.id('document'),
    scopeId,
    docId,
    writer: session.principalId,
    parentId: known?.parentId ?? null,
    level: known?.level ?? 0,
    force: force || known?.force === true,
    keyHash: session.facts.keyHash ?? null,
    requestId: session.requestId,
    found: isLive ? known.found : null,
    status: 'queued',
    reason: null,
    detail: null,
    attempts: 0,
    textDueAt: null,
    version: (known?.version ?? 0) + 1,
    createdAt: known?.createdAt ?? now,
    updatedAt: changedAt(known, now),
  }
  await tx.ingested.put(record, now)
  await tx.audit(
    auditEntry(session, now, 'document.ingest', record.documentId, { scope, bytes: sent.bytes, sha256: sent.sha256 }),
  )
  return { record, seq: null }
}

/** What is there already, or on its way, or differs only in what can be changed in place. Null if it must be parsed. */
async function keep(
  deps: Deps,
  session: Session,
  tx: NamespaceWriter,
  known: DocumentRecord,
  sent: DocumentVersion,
  isLive: boolean,
): Promise<IngestedDocument | null> {
  const { found } = known
  const coming = known.status === 'queued' || known.status === 'running'
  const kept = { record: known, seq: null }
  if (coming && sameFile(known, sent) && sameOptions(known, sent)) return kept
  if (!isLive || !found || !sameFile(found, sent)) return null
  const unchanged = sameOptions(found, sent)
  if (unchanged && known.status === 'ready') return kept
  if (!unchanged && (found.asGiven || !followsInPlace(found.metadata, sent.metadata))) return null
  const now = deps.clock.now()
  const { aclGroups, metadata } = sent
  const version = { ...found, aclGroups, metadata }
  const record = await changeInPlace(session, tx, { ...known, ...sentOf(version), found: version }, now)
  return { record, seq: tx.seq() }
}

/**
 * Tries failed documents of the caller again, with its present rights. Others are returned as they are; unknown and
 * hidden ones are left out.
 */
export async function retryDocuments(
  deps: Deps,
  session: Session,
  documentIds: readonly string[],
): Promise<DocumentView[]> {
  admit(session, 'retryDocuments')
  const namespaceId = session.namespace.id
  const failed = (await seeDocuments(deps, session, { ids: documentIds })).filter(
    ({ status, scope }) => status === 'failed' && session.may('write', scope),
  )
  if (failed.length > 0) {
    const ids = failed.map(({ documentId }) => documentId)
    await deps.catalog.transact(namespaceId, (tx) => queue(deps, session, tx, ids))
    deps.changes.changed(namespaceId)
    deps.runner.kick()
  }
  const seen = new Map((await seeDocuments(deps, session, { ids: documentIds })).map((one) => [one.documentId, one]))
  return [...new Set(documentIds)].flatMap((id) => seen.get(id) ?? [])
}

async function queue({ clock }: Deps, session: Session, tx: NamespaceWriter, ids: readonly string[]): Promise<void> {
  const now = clock.now()
  for (const document of await tx.ingested.get(ids)) {
    if (document.status !== 'failed' || document.writer !== session.principalId) continue
    await tx.ingested.put(
      {
        ...document,
        keyHash: session.facts.keyHash ?? null,
        requestId: session.requestId,
        status: 'queued',
        reason: null,
        detail: null,
        attempts: 0,
        version: document.version + 1,
        updatedAt: changedAt(document, now),
      },
      now,
    )
    await tx.audit(auditEntry(session, now, 'document.retry', document.documentId, {}))
  }
}
