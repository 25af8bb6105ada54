import {
  deleteDocumentsInput,
  documentChangesInput,
  documentIdInput,
  documentIdsInput,
  documentsInput,
  ingestDocumentInput,
} from '../../../domain/documents/document-input.ts'
import type { DocumentPage } from '../../../domain/documents/read-documents.ts'
import { builder, checked, checkedInput, checkedSubscription } from '../../builder/builder.ts'
import { servicesOf } from '../../builder/context.ts'
import { nextCursorField, pageArgs } from '../../builder/pages.ts'
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
    description:
      'A document that the caller wrote, or of which it may read a Unit. Others are not found. Needs `read`.',
    args: { documentId: t.arg.string({ required: true, description: 'The id.' }) },
    ...checked(documentIdInput, ({ documentId }, context) => servicesOf(context).documents.get(documentId)),
  }),
  documents: t.field({
    type: DocumentPageRef,
    description: 'Documents that the caller wrote, or of which it may read a Unit, by docId. Needs `read`.',
    args: {
      scope: t.arg.string({ description: 'This scope and those below it.' }),
      status: t.arg({ type: DocumentStatusEnum, description: 'Only those with this status.' }),
      docIdPrefix: t.arg.string({ description: 'Only those whose docId begins with this.' }),
      ...pageArgs('How many documents to skip.'),
    },
    ...checked(documentsInput, (input, context) => servicesOf(context).documents.list(input)),
  }),
}))

builder.mutationFields((t) => ({
  ingestDocument: t.field({
    type: DocumentRef,
    description:
      'Takes in a file: its Units are made in the background, and replace those of its former version. An unchanged file stays as it is. Needs `write`.',
    args: { input: t.arg({ type: IngestDocumentInput, required: true, description: 'The file.' }) },
    ...checkedInput(ingestDocumentInput, (input, context) => servicesOf(context).documents.ingest(input)),
  }),
  retryDocuments: t.field({
    type: [DocumentRef],
    description: "Tries the caller's failed documents again; others are returned as they are. Needs `write`.",
    args: { documentIds: t.arg.stringList({ required: true, description: idsArg }) },
    ...checked(documentIdsInput, ({ documentIds }, context) => servicesOf(context).documents.retry(documentIds)),
  }),
  deleteDocuments: t.field({
    type: DeleteResultRef,
    description:
      'Deletes documents with those inside of them: readable Units in writable scopes, and what is queued. Needs `write`.',
    args: {
      documentIds: t.arg.stringList({ required: true, description: idsArg }),
      hard: t.arg.boolean({
        description: 'true removes Units, texts and sources permanently; false can be undone with `restoreUnits`.',
      }),
    },
    ...checked(deleteDocumentsInput, (input, context) => servicesOf(context).documents.delete(input)),
  }),
}))

builder.subscriptionField('documentChanges', (t) =>
  t.field({
    type: DocumentRef,
    description:
      'First each document that the caller may see, then its changes, at most one a second. With `documentIds` it completes when all of them are ready or failed. Needs `read`.',
    args: {
      documentIds: t.arg.stringList({ description: `Only these. ${idsArg}` }),
      scope: t.arg.string({ description: 'Only those in this scope and below it.' }),
    },
    ...checkedSubscription(documentChangesInput, (input, context) => servicesOf(context).documents.watch(input)),
  }),
)
