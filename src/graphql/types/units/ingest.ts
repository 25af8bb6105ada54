import type { IngestResult } from '../../../domain/units/ingest.ts'
import type { IngestedUnit } from '../../../domain/units/write-batch.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import { enumType } from '../../builder/types.ts'
import { ModalityEnum, PlaneEnum } from '../common/enums.ts'

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
    ...runs('ingest', (input, services) => services.units.ingest(input)),
  }),
)
