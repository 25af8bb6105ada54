import type { Session } from '../../model/session.ts'
import type { ReadRecorder } from '../audit/record-reads.ts'
import { heavy, type Turns } from '../turns/turns.ts'
import { deleteDocuments } from './delete-documents.ts'
import type { DocumentChangesInput, DocumentsInput, IngestDocumentInput } from './document-input.ts'
import { ingestDocument, retryDocuments } from './ingest-document.ts'
import { listDocuments, readDocument } from './read-documents.ts'
import { createDocumentRunner } from './runner.ts'
import { createDocumentChanges, watchDocuments } from './watch-documents.ts'

type Shared = 'runner' | 'changes' | 'stopping'

type Deps = Omit<Parameters<typeof createDocumentRunner>[0], Shared> &
  Omit<Parameters<typeof ingestDocument>[0], Shared> &
  Omit<Parameters<typeof deleteDocuments>[0], Shared> &
  Omit<Parameters<typeof watchDocuments>[0], Shared> & { reads: ReadRecorder; turns: Turns }

export function createDocuments(given: Deps) {
  const changes = createDocumentChanges()
  const runner = createDocumentRunner({ ...given, changes })
  const stopping = new AbortController()
  const deps = { ...given, changes, runner, stopping: stopping.signal }
  const { turns } = deps
  return {
    runner,
    /** Ends all watches: they would keep the server open. */
    endWatches: () => stopping.abort(),
    servicesFor: (session: Session) => ({
      ingest: (input: IngestDocumentInput) => turns.writing(session, heavy, () => ingestDocument(deps, session, input)),
      retry: (documentIds: readonly string[]) =>
        turns.writing(session, heavy, () => retryDocuments(deps, session, documentIds)),
      delete: (input: { documentIds: readonly string[]; hard: boolean }) =>
        turns.writing(session, heavy, () => deleteDocuments(deps, session, input)),
      get: (documentId: string) => readDocument(deps, session, documentId),
      list: (input: DocumentsInput) => turns.answering(session, heavy, () => listDocuments(deps, session, input)),
      watch: (input: DocumentChangesInput) => watchDocuments(deps, session, input),
    }),
  }
}
