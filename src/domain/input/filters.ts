import { z } from 'zod'
import { modalities } from '../../model/unit.ts'
import { metadataConditions } from './metadata.ts'
import { label } from './parse.ts'

const anyOf = <S extends z.ZodType>(value: S) =>
  z.array(value).min(1, 'must not be empty').max(1000, 'must be at most 1000 values').optional()

const position = z.int('must be an integer').min(0, 'must not be negative')

/** Conditions on Units; all of those present must hold. */
export const filtersInput = z
  .strictObject({
    modality: anyOf(z.enum(modalities)).describe('Modalities.'),
    docId: anyOf(label()).describe('Documents.'),
    externalId: anyOf(label()).describe("The writers' own ids."),
    sourceUri: anyOf(label(2048)).describe('Raw sources.'),
    mime: anyOf(label(255)).describe('Content types.'),
    aclOwner: anyOf(label()).describe('Owners.'),
    createdAfter: z.int('must be an integer').optional().describe('Epoch milliseconds, inclusive.'),
    createdBefore: z.int('must be an integer').optional().describe('Epoch milliseconds, inclusive.'),
    metadata: metadataConditions.optional().describe('`{key: value | [values] | {gte, lte}}`.'),
    timeRange: z
      .strictObject({
        tStartMs: position.describe('First millisecond.'),
        tEndMs: position.describe('Last millisecond.'),
      })
      .refine((range) => range.tStartMs <= range.tEndMs, 'must not end before it starts')
      .meta({ title: 'TimeRangeInput', about: 'Units whose `time_range` locator overlaps this one.' })
      .optional()
      .describe('Time range that must overlap.'),
  })
  .meta({
    title: 'SearchFiltersInput',
    about: 'Conditions that must all match. A list matches if any of its values does.',
  })
