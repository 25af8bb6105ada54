import type { DocumentPage, DocumentView } from '../../../domain/documents/read-documents.ts'
import { documentReasons, documentStatuses } from '../../../model/document.ts'
import { runs, streams } from '../../builder/root-fields.ts'
import {
  enumType,
  int,
  list,
  metadata,
  nextCursor,
  nullable,
  objectType,
  of,
  safeInt,
  string,
  strings,
} from '../../builder/types.ts'
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

const DocumentRef = objectType<DocumentView>('Document', 'A file, and the Units that the service makes of it.', {
  documentId: string('The id that the service gave it.'),
  docId: string('The `docId` of its Units.'),
  scope: string('Its scope.'),
  name: string('The path of the file.'),
  mime: string('Content type.'),
  bytes: safeInt('Size of the file.'),
  sha256: nullable(string('SHA-256 in hex of the version whose Units are found; null if there is none.')),
  sourceUri: nullable(string('The source of that version.')),
  status: of(DocumentStatusEnum, 'How far the service is with it.'),
  reason: nullable(of(DocumentReasonEnum, 'Why the last version could not be taken in. Only for its writer.')),
  detail: nullable(string('The same in one sentence.')),
  units: int('Its live Units that the caller may read.'),
  metadata: metadata('What its Units carry, with the path.'),
  aclGroups: strings('Groups that may read it.'),
  parent: nullable(string('The `documentId` of the document that it is an attachment of.')),
  attempts: int('Tries of the last version that have ended.'),
  createdAt: safeInt('Epoch milliseconds.'),
  updatedAt: safeInt('Epoch milliseconds.'),
})

const DocumentPageRef = objectType<DocumentPage>('DocumentPage', 'A page of documents by docId.', {
  documents: list(DocumentRef, 'Those that the caller may see.'),
  nextCursor,
})

runs('document', DocumentRef, ({ documentId }, services) => services.documents.get(documentId))

runs('documents', DocumentPageRef, (input, services) => services.documents.list(input))

runs('ingestDocument', DocumentRef, (input, services) => services.documents.ingest(input))

runs('retryDocuments', [DocumentRef], ({ documentIds }, services) => services.documents.retry(documentIds))

runs('deleteDocuments', DeleteResultRef, (input, services) => services.documents.delete(input))

streams('documentChanges', DocumentRef, (input, services) => services.documents.watch(input))
