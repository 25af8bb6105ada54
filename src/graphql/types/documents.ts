import { documentReasons, documentStatuses } from '../../model/document.ts'
import { runs, streams } from '../builder/root-fields.ts'
import {
  enumType,
  float,
  int,
  json,
  list,
  metadata,
  nextCursor,
  nullable,
  objectType,
  of,
  pageType,
  safeInt,
  string,
  strings,
} from '../builder/types.ts'
import { ContextRef } from './access.ts'
import { ModalityEnum, PlaneEnum } from './common.ts'
import { DeleteResultRef, ReaderRef } from './units.ts'

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

const DocumentRef = objectType('Document', 'A file, and the Units that the service makes of it.', {
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
  detail: nullable(string('The same in one sentence; of a ready document, why a picture of it was not read.')),
  units: int('Its live Units that the caller may read.'),
  metadata: metadata('What its Units carry, with the path.'),
  aclGroups: strings('Groups that may read it.'),
  parent: nullable(string('The `documentId` of the document that it is an attachment of.')),
  attempts: int('Tries of the last version that have ended.'),
  createdAt: safeInt('Epoch milliseconds.'),
  updatedAt: safeInt('Epoch milliseconds.'),
})

const DocumentPageRef = objectType('DocumentPage', 'A page of documents by docId.', {
  documents: list(DocumentRef, 'Those that the caller may see.'),
  nextCursor,
})

runs('document', DocumentRef, ({ documentId }, services) => services.documents.get(documentId))

runs('documents', DocumentPageRef, (input, services) => services.documents.list(input))

runs('ingestDocument', DocumentRef, (input, services) => services.documents.ingest(input))

runs('retryDocuments', [DocumentRef], ({ documentIds }, services) => services.documents.retry(documentIds))

runs('deleteDocuments', DeleteResultRef, (input, services) => services.documents.delete(input))

streams('documentChanges', DocumentRef, (input, services) => services.documents.watch(input))

const DocRef = objectType(
  'Doc',
  'What the caller may read of a `docId`: a sum over its Units. `Document` is a file that was taken in; a `Doc` exists for any `docId`.',
  {
    docId: nullable(string('Null for a Unit of its own.')),
    unitId: string('Its first readable Unit.'),
    title: string(
      "One line, by its first readable Unit: the first heading of its title, `metadata.title`, `docId`, the external id, or the text's beginning.",
    ),
    scopes: strings('Where its Units are.'),
    planes: list(PlaneEnum, "Its Units' planes."),
    modalities: list(ModalityEnum, "Its Units' modalities."),
    mime: nullable(string('Content type of the source of its first Unit.')),
    sourceUri: nullable(string('Raw source of its first Unit.')),
    readers: nullable(
      list(ReaderRef, 'Who may read those of its Units that the caller may read; null where these differ.'),
    ),
    units: safeInt('How many Units of it the caller may read.'),
    createdAt: safeInt('First write. Epoch milliseconds.'),
    updatedAt: safeInt('Latest change. Epoch milliseconds.'),
  },
)

const DocPageRef = pageType(
  'DocPage',
  'docs',
  DocRef,
  { page: 'A page of documents by first write, newest first.', items: 'Newest first.' },
  { context: of(ContextRef, 'The enforcement context.') },
)

runs('docs', DocPageRef, (input, services) => services.docs.list(input))

runs('doc', DocRef, ({ docId }, services) => services.docs.get(docId))

const OutlineHeadingRef = objectType('OutlineHeading', 'A heading above readable Units.', {
  title: string('Its text.'),
  level: int('1 for the outermost.'),
  unitId: string('The first readable Unit under it.'),
  units: int('Readable Units under it, those under the headings within it included.'),
})

const OutlineRef = pageType(
  'Outline',
  'headings',
  OutlineHeadingRef,
  {
    page: 'The headings of a document, as far as the caller may read what is under them.',
    items: 'In the order of the text.',
    count: 'Headings on all pages together.',
  },
  { docId: string('The `docId`.'), title: string('As of `Doc`.') },
)

runs('outline', OutlineRef, (input, services) => services.docs.outline(input))

const FacetValueRef = objectType('FacetValue', 'A value of a field, and how many Units have it.', {
  value: json('As filters take it. Times are epoch milliseconds.'),
  count: int('Units with this value.'),
})

export const FacetRef = objectType('Facet', 'The values of a field. A list counts for each of its values.', {
  field: string('The field.'),
  values: list(
    FacetValueRef,
    'The most frequent first, equal ones by value. Values of more than 512 bytes are left out.',
  ),
  other: int('How often other values occur.'),
  missing: int('Units without the field.'),
  min: nullable(float('The lowest time or number.')),
  max: nullable(float('The highest time or number.')),
})

const FacetsRef = objectType('Facets', 'Counts of the Units that the caller may read.', {
  context: of(ContextRef, 'The enforcement context.'),
  count: int('Units that meet all filters.'),
  facets: list(FacetRef, 'In the order of `fields`.'),
  metadataKeys: strings('Keys of `metadata`, the most frequent first, at most 100.'),
})

runs('facets', FacetsRef, (input, services) => services.docs.facets(input))
