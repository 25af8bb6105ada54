import type { DocumentPage, DocumentView } from '../../../domain/documents/read-documents.ts'
import { documentReasons, documentStatuses } from '../../../model/document.ts'
import { builder } from '../../builder/builder.ts'
import { runs, streams } from '../../builder/root-fields.ts'
import { enumType, nextCursorField } from '../../builder/types.ts'
import { DeleteResultRef } from '../units/delete-units.ts'

const DocumentStatusEnum = enumType('DocumentStatus', 'How far the service is with a document.', documentStatuses, {
  queued: 'It waits to be parsed.',
  running: 'It is being parsed.',
  ready: 'Its Units are found.',
  failed: 'Its last version could not be taken in; `reason` says why. The version before it is still found.',
})

const DocumentReasonEnum = enumType('DocumentReason', 'Why a document could not be taken in.', documentReasons, {
  unsupported: 'The format is not supported.',
  empty: 'There is nothing in it.',
  locked: 'It needs a password.',
  malformed: 'It is not what it claims to be.',
  too_large: 'It is above a limit of size, entries, pages or levels.',
  too_many_units: 'It has more than 10,000 Units.',
  timeout: 'Parsing took too long.',
  out_of_memory: 'Parsing needed too much memory.',
  forbidden: 'Its writer may not write there any more.',
  upgrade_required: 'The tier does not include its planes.',
  quota_exceeded: 'The tier allows no more documents.',
  source_missing: 'The source is gone.',
  internal: 'The service failed.',
})

const DocumentRef = builder.objectRef<DocumentView>('Document').implement({
  description: 'A file, and the Units that the service makes of it.',
  fields: (t) => ({
    documentId: t.exposeString('documentId', { description: 'The id that the service gave it.' }),
    docId: t.exposeString('docId', { description: 'The `docId` of its Units.' }),
    scope: t.exposeString('scope', { description: 'Its scope.' }),
    name: t.exposeString('name', { description: 'The path of the file.' }),
    mime: t.exposeString('mime', { description: 'Content type.' }),
    bytes: t.expose('bytes', { type: 'SafeInt', description: 'Size of the file.' }),
    sha256: t.exposeString('sha256', {
      nullable: true,
      description: 'SHA-256 in hex of the version whose Units are found; null if there is none.',
    }),
    sourceUri: t.exposeString('sourceUri', { nullable: true, description: 'The source of that version.' }),
    status: t.expose('status', { type: DocumentStatusEnum, description: 'How far the service is with it.' }),
    reason: t.expose('reason', {
      type: DocumentReasonEnum,
      nullable: true,
      description: 'Why the last version could not be taken in. Only for its writer.',
    }),
    detail: t.exposeString('detail', { nullable: true, description: 'The same in one sentence.' }),
    units: t.exposeInt('units', { description: 'Its live Units that the caller may read.' }),
    metadata: t.expose('metadata', { type: 'Metadata', description: 'What its Units carry, with the path.' }),
    aclGroups: t.stringList({ description: 'Groups that may read it.', resolve: ({ aclGroups }) => [...aclGroups] }),
    parent: t.exposeString('parent', {
      nullable: true,
      description: 'The `documentId` of the document that it is an attachment of.',
    }),
    attempts: t.exposeInt('attempts', { description: 'Tries of the last version that have ended.' }),
    createdAt: t.expose('createdAt', { type: 'SafeInt', description: 'Epoch milliseconds.' }),
    updatedAt: t.expose('updatedAt', { type: 'SafeInt', description: 'Epoch milliseconds.' }),
  }),
})

const DocumentPageRef = builder.objectRef<DocumentPage>('DocumentPage').implement({
  description: 'A page of documents by docId.',
  fields: (t) => ({
    documents: t.expose('documents', { type: [DocumentRef], description: 'Those that the caller may see.' }),
    nextCursor: t.expose('nextCursor', nextCursorField),
  }),
})

builder.queryFields((t) => ({
  document: t.field({
    type: DocumentRef,
    ...runs('document', ({ documentId }, services) => services.documents.get(documentId)),
  }),
  documents: t.field({
    type: DocumentPageRef,
    ...runs('documents', (input, services) => services.documents.list(input)),
  }),
}))

builder.mutationFields((t) => ({
  ingestDocument: t.field({
    type: DocumentRef,
    ...runs('ingestDocument', (input, services) => services.documents.ingest(input)),
  }),
  retryDocuments: t.field({
    type: [DocumentRef],
    ...runs('retryDocuments', ({ documentIds }, services) => services.documents.retry(documentIds)),
  }),
  deleteDocuments: t.field({
    type: DeleteResultRef,
    ...runs('deleteDocuments', (input, services) => services.documents.delete(input)),
  }),
}))

builder.subscriptionField('documentChanges', (t) =>
  t.field({
    type: DocumentRef,
    ...streams('documentChanges', (input, services) => services.documents.watch(input)),
  }),
)
