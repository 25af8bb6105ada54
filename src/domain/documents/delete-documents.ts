import { auditEntry } from '../../model/audit.ts'
import type { DocumentRecord } from '../../model/document.ts'
import type { Session } from '../../model/session.ts'
import type { NamespaceWriter } from '../../ports/catalog.ts'
import { admit } from '../access/gate.ts'
import { type DeleteResult, type RemoveDeps, type RequestedPurge, reachOf, removeUnits } from '../units/delete-units.ts'
import { seeDocuments } from './read-documents.ts'
import { changedAt, sentOf } from './versions.ts'
import type { DocumentChanges } from './watch-documents.ts'

type Deps = RemoveDeps & { changes: DocumentChanges }

/**
 * Removes the Units of documents that the caller sees, as far as it may delete them, and with them the documents and
 * those inside. What is queued of the caller's own documents is dropped. Unknown and hidden ids are not counted.
 */
export async function deleteDocuments(
  deps: Deps,
  session: Session,
  { documentIds, hard }: { documentIds: readonly string[]; hard: boolean },
): Promise<DeleteResult> {
  admit(session, 'deleteDocuments')
  const { catalog } = deps
  const namespaceId = session.namespace.id
  const seen = await seeDocuments(deps, session, { ids: documentIds })
  const visible = new Set(seen.map(({ documentId }) => documentId))
  const writable = new Set(session.scopesInReach('write').map(({ id }) => id))
  const { documents, requested } = await catalog.transact(namespaceId, async (tx) => {
    const all = await tx.ingested.withChildren(documentIds)
    // A hard deletion also works on documents that are soft-deleted, as it does on Units.
    const named = (one: DocumentRecord) => visible.has(one.documentId) || (hard && isOwn(session, one))
    const roots = all.filter((one) => documentIds.includes(one.documentId) && named(one))
    const reached = withInside(all, roots).filter(({ scopeId }) => writable.has(scopeId))
    const own = reached.filter((one) => isOwn(session, one))
    return { documents: reached, requested: await dropWork(deps, session, tx, own, hard) }
  })
  const ids = documents.map(({ documentId }) => documentId)
  const states = hard ? (['live', 'tombstoned'] as const) : (['live'] as const)
  const selection = { ...reachOf(session), documentIds: ids, states }
  const result = await removeUnits(deps, session, selection, { hard, requested })
  deps.changes.changed(namespaceId)
  return result
}

const isOwn = ({ principalId }: Session, { writer }: DocumentRecord) => writer === principalId

/** These documents and those inside of them. */
function withInside(all: readonly DocumentRecord[], roots: readonly DocumentRecord[]): DocumentRecord[] {
  const ids = new Set(roots.map(({ documentId }) => documentId))
  // Parents come before the documents inside of them.
  for (const { documentId, parentId } of all) if (parentId !== null && ids.has(parentId)) ids.add(documentId)
  return all.filter(({ documentId }) => ids.has(documentId))
}

/**
 * Drops what is queued or has failed. A document that was never found is removed; the others stay until their Units are
 * gone. Returns the sources that a hard deletion purges with it.
 */
async function dropWork(
  { clock }: Deps,
  session: Session,
  tx: NamespaceWriter,
  documents: readonly DocumentRecord[],
  hard: boolean,
): Promise<RequestedPurge> {
  const now = clock.now()
  const held = new Set<string>()
  for (const { documentId } of documents) {
    if ((await tx.ingested.units(documentId)).length > 0) held.add(documentId)
  }
  // Those that only hold others stay with them. Parents come before the documents inside of them.
  for (const { documentId, parentId } of documents.toReversed()) {
    if (parentId !== null && held.has(documentId)) held.add(parentId)
  }
  const empty = documents.filter(({ documentId }) => !held.has(documentId))
  await tx.ingested.remove(empty.map(({ documentId }) => documentId))
  for (const document of documents.filter(({ documentId }) => held.has(documentId))) {
    const version = document.version + 1
    const state = { status: 'ready', reason: null, detail: null, force: false, version } as const
    await tx.ingested.put(
      { ...document, ...(document.found && sentOf(document.found)), ...state, updatedAt: changedAt(document, now) },
      now,
    )
  }
  for (const { documentId } of documents) {
    await tx.audit(auditEntry(session, now, 'document.delete', documentId, { hard }))
  }
  if (!hard) return { sources: 0, time: now }
  const uris = documents.flatMap(({ sourceUri, found }) => [sourceUri, found?.sourceUri ?? sourceUri])
  const purged = await tx.ingested.purgeSources([...new Set(uris)], session.principalId, now)
  return { sources: purged.length, time: now }
}
