import { z } from 'zod'
import { modalities } from '../../model/unit.ts'
import { metadataConditions } from './metadata.ts'
import { label } from './parse.ts'

const anyOf = <S extends z.ZodType>(value: S) =>
  z.array(value).min(1, 'must not be empty').max(1000, 'must be at most 1000 values').optional()

const position = z.int('must be an integer').min(0, 'must not be negative')

/** Conditions on Units; all of those present must hold. */
export const filtersInput = z.strictObject({
  modality: anyOf(z.enum(modalities)),
  docId: anyOf(label()),
  externalId: anyOf(label()),
  sourceUri: anyOf(label(2048)),
  mime: anyOf(label(255)),
  aclOwner: anyOf(label()),
  createdAfter: z.int('must be an integer').optional(),
  createdBefore: z.int('must be an integer').optional(),
  metadata: metadataConditions.optional(),
  timeRange: z
    .strictObject({ tStartMs: position, tEndMs: position })
    .refine((range) => range.tStartMs <= range.tEndMs, 'must not end before it starts')
    .optional(),
})
