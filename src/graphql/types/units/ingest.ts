import type { IngestResult } from '../../../domain/units/ingest.ts'
import type { IngestedUnit } from '../../../domain/units/write-batch.ts'
import { runs } from '../../builder/root-fields.ts'
import { boolean, enumType, int, list, nullable, objectType, of, safeInt, string } from '../../builder/types.ts'
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

const IngestedUnitRef = objectType<IngestedUnit>('IngestedUnit', 'The result for one Unit of a batch.', {
  unitId: string('Its id.'),
  externalId: nullable(string('As sent.')),
  status: of(IngestStatusEnum, 'The result.'),
  scope: string('Its scope.'),
  modality: of(ModalityEnum, 'Its modality.'),
  plane: of(PlaneEnum, 'Its plane.'),
})

const IngestCountsRef = objectType<IngestResult['counts']>(
  'IngestCounts',
  'How many Units of the batch each status has.',
  {
    created: int('New.'),
    updated: int('Changed.'),
    unchanged: int('Number of unchanged Units.'),
  },
)

const IngestResultRef = objectType<IngestResult>('IngestResult', 'The result of a batch, which is durably written.', {
  units: list(IngestedUnitRef, 'In the order sent.'),
  counts: of(IngestCountsRef, 'Totals.'),
  seq: safeInt("The namespace's seq after the write."),
  indexed: boolean('Whether searches already see it.'),
})

runs('ingest', IngestResultRef, (input, services) => services.units.ingest(input))
