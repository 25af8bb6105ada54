import { z } from 'zod'
import { modalities, planes } from '../../model/unit.ts'
import { checkedLater } from '../input/checked-later.ts'
import { scopePath } from '../input/fields.ts'
import { metadataConditions } from '../input/metadata.ts'
import { label } from '../input/parse.ts'

const filter = z
  .strictObject({
    scope: scopePath.optional(),
    docId: label().optional(),
    externalId: label().optional(),
    sourceUri: label(2048).optional(),
    modality: z.enum(modalities).optional(),
    plane: z.enum(planes).optional(),
    createdBefore: z.int('must be an integer').optional(),
    metadata: metadataConditions.optional(),
  })
  .refine(({ metadata, ...columns }) => {
    const named = Object.values(columns).some((value) => value !== undefined)
    return named || Object.keys(metadata ?? {}).length > 0
  }, 'must have at least one condition')

export const deleteInput = z
  .strictObject({
    ids: z
      .array(checkedLater(label()), 'must be a list')
      .min(1, 'must not be empty')
      .max(10_000, 'must be at most 10000 ids')
      .optional(),
    filter: filter.optional(),
    hard: z.boolean().default(false),
  })
  .refine(
    (input) => (input.ids === undefined) !== (input.filter === undefined),
    'exactly one of ids and filter is required',
  )
export type DeleteInput = z.output<typeof deleteInput>
