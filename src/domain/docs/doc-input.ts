import { z } from 'zod'
import { type FacetField, facetColumns } from '../../model/doc.ts'
import { metadataPath } from '../../model/field.ts'
import { planes } from '../../model/unit.ts'
import { filtersInput } from '../input/filters.ts'
import { pageInput } from '../input/page.ts'
import { label, text } from '../input/parse.ts'

export const docsInput = pageInput('How many documents to skip.').extend({
  prefix: text(128).optional().describe('Only those whose `docId` begins with this.'),
  filters: filtersInput.prefault({}).describe('Only those with a readable Unit that meets them.'),
})
export type DocsInput = z.output<typeof docsInput>

export const docInput = z.strictObject({ docId: label().describe('The `docId`.') })

export const outlineInput = pageInput('How many headings to skip.').extend(docInput.shape)
export type OutlineInput = z.output<typeof outlineInput>

const fieldProblem = `must be ${facetColumns.join(', ')} or metadata.<path>`

const isField = (name: string): name is FacetField =>
  facetColumns.some((column) => column === name) || metadataPath(name) !== null

const limitProblem = 'must be between 1 and 100'

export const facetsInput = z
  .strictObject({
    fields: z
      .array(text('metadata.'.length + 128).refine(isField, fieldProblem), 'must be a list')
      .min(1, 'must be 1 to 8 fields')
      .max(8, 'must be 1 to 8 fields')
      .refine((names) => new Set(names).size === names.length, 'must not repeat a value')
      .meta({
        uniqueItems: true,
        description: 'Of `plane`, `modality`, `scope`, `docId`, `mime`, `createdAt`, `metadata.<path>`.',
      }),
    filters: filtersInput
      .prefault({})
      .describe("Conditions on Units. A field's own condition does not apply to its facet."),
    planes: z
      .array(z.enum(planes))
      .min(1, 'must not be empty')
      .optional()
      .describe('Only Units of these planes. Default: all.'),
    limit: z
      .int(limitProblem)
      .min(1, limitProblem)
      .max(100, limitProblem)
      .default(20)
      .describe('How many values of each field.'),
  })
  .meta({ title: 'FacetsInput', about: 'Which fields to count.' })
export type FacetsInput = z.output<typeof facetsInput>
