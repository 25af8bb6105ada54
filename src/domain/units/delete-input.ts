import { z } from 'zod'
import { modalities, planes } from '../../model/unit.ts'
import { scopePath } from '../input/fields.ts'
import { metadataConditions } from '../input/filters.ts'
import { checkedLater, label } from '../input/parse.ts'

const filter = z
  .strictObject({
    scope: scopePath.optional().describe('This scope and those below it.'),
    docId: label().optional().describe('The document.'),
    externalId: label().optional().describe("The writer's own id."),
    sourceUri: label(2048).optional().describe('The raw source.'),
    modality: z.enum(modalities).optional().describe('The modality.'),
    plane: z.enum(planes).optional().describe('The plane.'),
    createdBefore: z.int('must be an integer').optional().describe('Epoch milliseconds, inclusive.'),
    metadata: metadataConditions.optional().describe('`{key: value | [values] | {gte, lte}}`.'),
  })
  .refine(({ metadata, ...columns }) => {
    const named = Object.values(columns).some((value) => value !== undefined)
    return named || Object.keys(metadata ?? {}).length > 0
  }, 'must have at least one condition')
  .meta({ title: 'UnitFilterInput', about: 'Conditions that must all match. At least one is required.' })

export const deleteInput = z
  .strictObject({
    ids: z
      .array(checkedLater(label()), 'must be a list')
      .min(1, 'must not be empty')
      .max(10_000, 'must be at most 10000 ids')
      .optional()
      .describe('Ids, or external ids of Units that the caller ingested. Unknown and hidden ones are ignored.'),
    filter: filter.optional().describe('Conditions on Units.'),
    hard: z
      .boolean()
      .default(false)
      .describe(
        'true removes text, vectors and uploaded sources permanently; false can be undone with `restoreUnits`.',
      ),
  })
  .refine(
    (input) => (input.ids === undefined) !== (input.filter === undefined),
    'exactly one of ids and filter is required',
  )
  .meta({ title: 'DeleteUnitsInput', about: 'What to delete: either `ids` or `filter`.' })
export type DeleteInput = z.output<typeof deleteInput>
