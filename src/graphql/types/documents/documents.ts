import type { DocumentPage } from '../../../domain/documents/read-documents.ts'
import { builder } from '../../builder/builder.ts'
import { nextCursorField, pageArgs, runs, streams } from '../../builder/root-fields.ts'
import { DeleteResultRef } from '../units/delete-units.ts'
import { DocumentRef, DocumentStatusEnum } from './document.ts'

const IngestDocumentInput = builder.inputType('IngestDocumentInput', {
  description: 'A file that was uploaded, and how its Units are to be.',
  fields: (t) => ({
    sourceUri: t.string({ required: true, description: 'A source that the caller uploaded.' }),
    name: t.string({ required: true, description: "The path of the file: its Units' `metadata.path`." }),
    scope: t.string({ description: 'Where its Units go, by the rules of `ingest`.' }),
    docId: t.string({ description: 'Default: the name.' }),
    aclGroups: t.stringList({ description: 'Groups that may read it; `*` is everyone who may read the scope.' }),
    metadata: t.field({ type: 'Metadata', description: 'What its Units carry, at most 16 KiB.' }),
    sidecar: t.string({
      description: 'Text that belongs to a picture or recording: plain, or `{text, title, metadata}`.',
    }),
    force: t.boolean({ description: 'true parses even what is unchanged.' }),
  }),
})

const DocumentPageRef = builder.objectRef<DocumentPage>('DocumentPage').implement({
  description: 'A page of documents by docId.',
  fields: (t) => ({
    documents: t.expose('documents', { type: [DocumentRef], description: 'Those that the caller may see.' }),
    nextCursor: t.expose('nextCursor', nextCursorField),
  }),
})

const idsArg = 'Unknown and hidden ones are ignored.'

builder.queryFields((t) => ({
  document: t.field({
    type: DocumentRef,
    args: { documentId: t.arg.string({ required: true, description: 'The id.' }) },
    ...runs('document', ({ documentId }, services) => services.documents.get(documentId)),
  }),
  documents: t.field({
    type: DocumentPageRef,
    args: {
      scope: t.arg.string({ description: 'This scope and those below it.' }),
      status: t.arg({ type: DocumentStatusEnum, description: 'Only those with this status.' }),
      docIdPrefix: t.arg.string({ description: 'Only those whose docId begins with this.' }),
      ...pageArgs('How many documents to skip.'),
    },
    ...runs('documents', (input, services) => services.documents.list(input)),
  }),
}))

builder.mutationFields((t) => ({
  ingestDocument: t.field({
    type: DocumentRef,
    args: { input: t.arg({ type: IngestDocumentInput, required: true, description: 'The file.' }) },
    ...runs('ingestDocument', (input, services) => services.documents.ingest(input)),
  }),
  retryDocuments: t.field({
    type: [DocumentRef],
    args: { documentIds: t.arg.stringList({ required: true, description: idsArg }) },
    ...runs('retryDocuments', ({ documentIds }, services) => services.documents.retry(documentIds)),
  }),
  deleteDocuments: t.field({
    type: DeleteResultRef,
    args: {
      documentIds: t.arg.stringList({ required: true, description: idsArg }),
      hard: t.arg.boolean({
        description: 'true removes Units, texts and sources permanently; false can be undone with `restoreUnits`.',
      }),
    },
    ...runs('deleteDocuments', (input, services) => services.documents.delete(input)),
  }),
}))

builder.subscriptionField('documentChanges', (t) =>
  t.field({
    type: DocumentRef,
    args: {
      documentIds: t.arg.stringList({ description: `Only these. ${idsArg}` }),
      scope: t.arg.string({ description: 'Only those in this scope and below it.' }),
    },
    ...streams('documentChanges', (input, services) => services.documents.watch(input)),
  }),
)
