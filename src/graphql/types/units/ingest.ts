import type { IngestResult } from '../../../domain/units/ingest.ts'
import type { IngestedUnit } from '../../../domain/units/write-batch.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import { ModalityEnum, PlaneEnum } from '../common/enums.ts'
import { LocatorInput } from './locator.ts'

const UnitInput = builder.inputType('UnitInput', {
  description: 'A Unit to ingest. It needs `text`, `vector` or `sourceUri`.',
  fields: (t) => ({
    unitId: t.string({
      description: 'The Unit to update: a readable one in the same scope. If none exists, it is used as `externalId`.',
    }),
    scope: t.string({
      description:
        'The requested scope or a writable scope below it. Default: the requested scope. If that is `*`: the active scope if it is a path, otherwise the only writable registered scope.',
    }),
    text: t.string({ description: 'Text to embed and full-text index, at most 1 MiB.' }),
    title: t.string({
      description: 'Ranked with the text, and never quoted: the path of headings above it, joined by ` > `.',
      extensions: { graphqlOnly: true },
    }),
    language: t.string({
      description: 'Of the text, as a BCP 47 tag: it says how words are stemmed. Default: detected from the text.',
      extensions: { graphqlOnly: true },
    }),
    modality: t.field({ type: ModalityEnum, description: 'What kind of content it is.' }),
    plane: t.field({ type: PlaneEnum, description: "Defaults to the modality's plane." }),
    sourceUri: t.string({ description: 'Pointer to the raw source.' }),
    mime: t.string({ description: 'Content type of the source.' }),
    locator: t.field({ type: LocatorInput, description: 'Span inside the source.' }),
    docId: t.string({ description: 'Groups Units under one source; a document holds at most 10,000 of one writer.' }),
    externalId: t.string({
      description: 'Your own id, unique per namespace, scope and writer. If you send it again, that Unit is updated.',
    }),
    aclOwner: t.string({ description: 'The owning principal; defaults to the caller.' }),
    aclGroups: t.stringList({ description: 'Groups that may read it; `*` is everyone who may read the scope.' }),
    metadata: t.field({ type: 'Metadata', description: 'Your own fields, at most 16 KiB.' }),
    vector: t.field({
      type: 'Vector',
      description: 'Your own embedding. The first one sets the dimensions of the plane.',
    }),
  }),
})

const IngestInput = builder.inputType('IngestInput', {
  description: 'A batch. Either all of it is written or nothing.',
  fields: (t) => ({
    units: t.field({ type: [UnitInput], required: true, description: 'The Units.' }),
  }),
})

const IngestStatusEnum = builder.enumType('IngestStatus', {
  description: 'What an ingest did with a Unit.',
  values: {
    created: { value: 'created', description: 'It is new.' },
    updated: { value: 'updated', description: 'A Unit with its external id existed, and its content changed.' },
    unchanged: { value: 'unchanged', description: 'The same Unit existed.' },
  } as const,
})

const IngestedUnitRef = builder.objectRef<IngestedUnit>('IngestedUnit').implement({
  description: 'The result for one Unit of a batch.',
  fields: (t) => ({
    unitId: t.exposeString('unitId', { description: 'Its id.' }),
    externalId: t.exposeString('externalId', { nullable: true, description: 'As sent.' }),
    status: t.expose('status', { type: IngestStatusEnum, description: 'The result.' }),
    scope: t.exposeString('scope', { description: 'Its scope.' }),
    modality: t.expose('modality', { type: ModalityEnum, description: 'Its modality.' }),
    plane: t.expose('plane', { type: PlaneEnum, description: 'Its plane.' }),
  }),
})

const IngestCountsRef = builder.objectRef<IngestResult['counts']>('IngestCounts').implement({
  description: 'How many Units of the batch each status has.',
  fields: (t) => ({
    created: t.exposeInt('created', { description: 'New.' }),
    updated: t.exposeInt('updated', { description: 'Changed.' }),
    unchanged: t.exposeInt('unchanged', { description: 'Number of unchanged Units.' }),
  }),
})

const IngestResultRef = builder.objectRef<IngestResult>('IngestResult').implement({
  description: 'The result of a batch, which is durably written.',
  fields: (t) => ({
    units: t.expose('units', { type: [IngestedUnitRef], description: 'In the order sent.' }),
    counts: t.expose('counts', { type: IngestCountsRef, description: 'Totals.' }),
    seq: t.expose('seq', { type: 'SafeInt', description: "The namespace's seq after the write." }),
    indexed: t.exposeBoolean('indexed', { description: 'Whether searches already see it.' }),
  }),
})

builder.mutationField('ingest', (t) =>
  t.field({
    type: IngestResultRef,
    args: { input: t.arg({ type: IngestInput, required: true, description: 'The batch.' }) },
    ...runs('ingest', (input, services) => services.units.ingest(input)),
  }),
)
