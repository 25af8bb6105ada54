import { auditEntry } from '../../model/audit-entry.ts'
import type { Session } from '../../model/session.ts'
import type { NamespaceWriter } from '../../ports/catalog/namespace-writer.ts'
import { admit } from '../access/gate.ts'
import type { BackgroundWork } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { changedAt } from './content/changed-at.ts'
import type { DocumentChanges } from './content/changes.ts'
import type { DocumentView } from './document-view.ts'
import { seeDocuments } from './read-documents.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock'> & { runner: BackgroundWork; changes: DocumentChanges }

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
