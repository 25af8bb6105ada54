import { renditions } from '../../domain/sources/source-input.ts'
import type { Locator, Unit } from '../../model/unit.ts'
import { readerKinds, readersOf } from '../../model/unit.ts'
import { builder } from '../builder/builder.ts'
import { runs } from '../builder/root-fields.ts'
import {
  addName,
  boolean,
  enumType,
  exposed,
  float,
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
} from '../builder/types.ts'
import { ContextRef } from './access.ts'
import { ModalityEnum, PlaneEnum } from './common.ts'

const LocatorKindEnum = enumType(
  'LocatorKind',
  'The kind of a locator.',
  ['time_range', 'bbox', 'char_span', 'line_range'] as const,
  {
    time_range: 'Milliseconds.',
    bbox: 'Fractions of the page or frame.',
    char_span: 'UTF-16 offsets.',
    line_range: '1-based lines.',
  },
)

const kind = of(LocatorKindEnum, 'Which kind this is.')

const TimeRange = objectType('TimeRange', 'A time range in the source.', {
  kind,
  tStartMs: safeInt('First millisecond.'),
  tEndMs: safeInt('Last millisecond.'),
})

const BoundingBox = objectType<Extract<Locator, { kind: 'bbox' }>>(
  'BoundingBox',
  'A rectangle of a page or frame, in fractions 0..1 from the top left.',
  {
    kind,
    page: nullable(int('Page number.')),
    x: float('Left edge.'),
    y: float('Top edge.'),
    w: float('Width.'),
    h: float('Height.'),
  },
)

const CharSpan = objectType('CharSpan', 'A span of the source text in UTF-16 offsets, end exclusive.', {
  kind,
  start: safeInt('First offset.'),
  end: safeInt('Offset after the last character.'),
})

const LineRange = objectType('LineRange', 'Lines of the source, 1-based and inclusive.', {
  kind,
  start: safeInt('First line.'),
  end: safeInt('Last line.'),
})

const refs = { time_range: TimeRange, bbox: BoundingBox, char_span: CharSpan, line_range: LineRange }

export const LocatorUnion = builder.unionType('Locator', {
  description: 'A span inside the raw source.',
  types: Object.values(refs),
  resolveType: (locator) => refs[locator.kind],
})

const ReaderKindEnum = enumType('ReaderKind', 'Which readers one of them stands for.', readerKinds, {
  everyone: 'All who may read the scope.',
  group: 'The members of a group.',
  owner: 'The principal that owns it.',
  person: 'Another principal.',
})

export const ReaderRef = objectType('Reader', 'One of those who may read a Unit.', {
  kind: of(ReaderKindEnum, 'Which readers it stands for.'),
  id: string('The id of the principal, the name of the group, or `*` for everyone.'),
})

addName(ReaderRef, 'name', 'the principal', ({ kind, id }) => (kind === 'owner' || kind === 'person' ? id : null))

/** The fields of a Unit wherever it appears. */
export const UnitFacts = builder.interfaceRef<Unit>('UnitFacts').implement({
  description: 'The fields of a Unit that are also in hits.',
  fields: (t) => ({
    readers: t.field({
      type: [ReaderRef],
      description: 'Who may read it among those who may read its scope, its owner first.',
      resolve: ({ acl }) => readersOf(acl),
    }),
    ...exposed<Unit>(t, {
      unitId: string('The id that the service gave it.'),
      externalId: nullable(string("The writer's own id.")),
      scope: string('Its scope.'),
      plane: of(PlaneEnum, 'Where it is indexed.'),
      modality: of(ModalityEnum, 'What kind of content it is.'),
      text: nullable(string('Text, or extracted caption, OCR or transcript.')),
      title: nullable(string('Ranked with the text, and never quoted: the path of headings above it.')),
      language: nullable(string('Of the text, as the writer sent it; null where it is detected.')),
      docId: nullable(string('Groups Units under one source.')),
      sourceUri: nullable(string('Pointer to the raw source.')),
      mime: nullable(string('Content type of the source.')),
      locator: nullable(of(LocatorUnion, 'Span inside the source.')),
      metadata: metadata("The caller's own fields."),
      createdAt: safeInt('Epoch milliseconds.'),
    }),
  }),
})

const UnitRef = builder.objectRef<Unit>('Unit').implement({
  description: 'A piece of content that the caller may read.',
  interfaces: [UnitFacts],
  fields: (t) => ({
    ...exposed<Unit>(t, { updatedAt: safeInt('Epoch milliseconds of the latest change.') }),
    aclOwner: t.string({ description: 'The principal that owns it.', resolve: (unit) => unit.acl.owner }),
    aclGroups: t.stringList({ description: 'Groups that may read it.', resolve: (unit) => [...unit.acl.groups] }),
    version: t.expose('seq', {
      type: 'SafeInt',
      description: 'Increases with every change. Send it to `updateUnit` to prevent lost updates.',
    }),
  }),
})

addName(UnitRef, 'aclOwnerName', 'the principal that owns it', ({ acl }) => acl.owner)

export const UnitPageRef = objectType('UnitPage', 'A page of Units in ingest order.', {
  units: list(UnitRef, 'The visible Units.'),
  hiddenByAcl: int(
    'Live Units in the listed scopes that the caller may not read, whatever the filters. `hiddenCount` of the namespace and of the key can limit it to 0 or 1, or to 0.',
  ),
  context: of(ContextRef, 'The enforcement context.'),
  nextCursor,
})

runs('units', UnitPageRef, (page, services) => services.units.list(page))

runs('unit', UnitRef, ({ unitId }, services) => services.units.get(unitId))

const NeighboursRef = objectType('Neighbours', 'The Units around a Unit, in the order of the text.', {
  before: list(UnitRef, 'Those before it; the nearest is last.'),
  after: list(UnitRef, 'Those after it; the nearest is first.'),
})

runs('neighbours', NeighboursRef, (input, services) => services.units.neighbours(input))

const IngestStatusEnum = enumType(
  'IngestStatus',
  'What an ingest did with a Unit.',
  ['created', 'updated', 'unchanged'] as const,
  {
    created: 'It is new.',
    updated: 'A Unit with its external id existed, and its content changed.',
    unchanged: 'The same Unit existed.',
  },
)

const IngestedUnitRef = objectType('IngestedUnit', 'The result for one Unit of a batch.', {
  unitId: string('Its id.'),
  externalId: nullable(string('As sent.')),
  status: of(IngestStatusEnum, 'The result.'),
  scope: string('Its scope.'),
  modality: of(ModalityEnum, 'Its modality.'),
  plane: of(PlaneEnum, 'Its plane.'),
})

const IngestCountsRef = objectType('IngestCounts', 'How many Units of the batch each status has.', {
  created: int('New.'),
  updated: int('Changed.'),
  unchanged: int('Number of unchanged Units.'),
})

const IngestResultRef = objectType('IngestResult', 'The result of a batch, which is durably written.', {
  units: list(IngestedUnitRef, 'In the order sent.'),
  counts: of(IngestCountsRef, 'Totals.'),
  seq: safeInt("The namespace's seq after the write."),
  indexed: boolean('Whether searches already see it.'),
})

runs('ingest', IngestResultRef, (input, services) => services.units.ingest(input))

export const DeleteResultRef = objectType('DeleteResult', 'What a deletion removed.', {
  matched: int('Readable Units in writable scopes that matched.'),
  tombstoned: int('Number of Units deleted, which can still be restored.'),
  purged: int('Number of Units removed permanently.'),
  sourcesPurged: int('Uploaded sources whose bytes were removed.'),
  seq: safeInt("The namespace's seq after the write."),
})

runs('deleteUnits', DeleteResultRef, (input, services) => services.units.delete(input))

const UpdateResultRef = objectType('UpdateResult', 'The result of a change, which is durably written.', {
  unit: nullable(of(UnitRef, 'The Unit as it is now; null when the caller may no longer read it.')),
  seq: safeInt("The namespace's seq after the write."),
  indexed: boolean('Whether the indexes already contain it.'),
})

const ReadersResultRef = objectType('UpdateReadersResult', 'The result of a change of readers.', {
  matched: int('Units that now have these readers, those included that had them before.'),
  seq: safeInt("The namespace's seq after the write."),
  indexed: boolean('Whether searches already find them by their new readers. They find none by the old ones.'),
})

runs('updateReaders', ReadersResultRef, (input, services) => services.units.updateReaders(input))

const RestoreResultRef = objectType('RestoreResult', 'The result of a restore.', {
  matched: int('Units that could be restored, or were not deleted.'),
  restored: int('Restored Units.'),
  seq: safeInt("The namespace's seq after the write."),
  indexed: boolean('Whether searches already see them.'),
})

runs('updateUnit', UpdateResultRef, ({ unitId, input }, services) => services.units.update(unitId, input))

runs('restoreUnits', RestoreResultRef, ({ ids }, services) => services.units.restore(ids))

const SourceRef = objectType('Source', 'An uploaded raw source.', {
  sourceUri: string('The `sourceUri` for Units of this source.'),
  mime: string('Content type.'),
  bytes: int('Size.'),
  sha256: string('SHA-256 of the bytes, in hex.'),
  name: nullable(string('File name.')),
  createdAt: safeInt('Epoch milliseconds.'),
})

runs('createSource', SourceRef, (input, services) => services.createSource(input))

runs('source', SourceRef, ({ sourceUri }, services) => services.source(sourceUri))

const SourceDeletionRef = objectType('SourceDeletion', 'Whether a source was removed.', {
  sourceUri: string('The source.'),
  deleted: boolean('False while a Unit or document names it.'),
})

runs('deleteSource', SourceDeletionRef, ({ sourceUri }, services) => services.deleteSource(sourceUri))

enumType('SourceRendition', 'A form of a source.', renditions, {
  original: 'The bytes as they were uploaded.',
  text: 'The text that `char_span` and `line_range` point into, in UTF-8.',
})

const SourceLinkRef = objectType('SourceLink', 'A link to the source of a Unit.', {
  url: string(
    'GET and HEAD answer with the source, without a credential, while the caller may still read the Unit. It begins with `PUBLIC_URL`, or is a path if that is not set.',
  ),
  expiresAt: safeInt('Epoch milliseconds, at most five minutes from now.'),
  mime: string('What the bytes are.'),
  bytes: safeInt('Size.'),
  sha256: string('SHA-256 of the bytes, in hex.'),
  name: nullable(string('The name that the uploader gave.')),
  inline: boolean('A browser shows it. Otherwise it saves it.'),
})

runs('sourceLink', SourceLinkRef, (args, services) => services.sourceLink(args))

const FileFormatRef = objectType('FileFormat', 'A format of files that is read.', {
  name: string('As a sentence names it.'),
  extensions: strings('In lower case, without the dot.'),
})

const UploadOptionsRef = objectType('UploadOptions', 'What can be uploaded.', {
  maxBytes: safeInt('How large a file may be.'),
  formats: list(FileFormatRef, 'Formats with their extensions. A text is read whatever its extension is.'),
})

runs('uploadOptions', UploadOptionsRef, (_, services) => services.uploadOptions())

const UploadRef = objectType('Upload', 'A link that takes the bytes of a source once.', {
  url: string(
    'PUT the raw bytes there, without a credential. The answer is `{source_uri, mime, bytes, sha256}`. It begins with `PUBLIC_URL`, or is a path if that is not set.',
  ),
  expiresAt: safeInt('Epoch milliseconds, at most ten minutes from now.'),
})

runs('createUpload', UploadRef, (input, services) => services.createUpload(input))
