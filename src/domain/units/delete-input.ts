import { z } from 'zod'
import { scopePath } from '../input/fields.ts'
import { filterWith } from '../input/filters.ts'
import { checkedLater, label } from '../input/parse.ts'

export const unitFilter = filterWith(
  { scope: scopePath.nullish().describe('This scope and those below it.') },
  { title: 'UnitFilterInput', about: 'Conditions that must all match. At least one is required.' },
).refine(({ scope, filter }) => scope != null || filter.length > 0, 'must have at least one condition')

export const deleteInput = z
  .strictObject({
    ids: z
      .array(checkedLater(label()), 'must be a list')
      .min(1, 'must not be empty')
      .max(10_000, 'must be at most 10000 ids')
      .optional()
      .describe('Ids, or external ids of Units that the caller ingested. Unknown and hidden ones are ignored.'),
    filter: unitFilter.optional().describe('Conditions on Units.'),
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
