import { z } from 'zod'
import { type FacetField, facetColumns } from '../../model/doc.ts'
import { planes } from '../../model/unit.ts'
import { filtersInput } from '../input/filters.ts'
import { pageInput } from '../input/page.ts'
import { label, text } from '../input/parse.ts'

export const docsInput = z.strictObject({
  ...pageInput.shape,
  prefix: text(128).optional(),
  filters: filtersInput.prefault({}),
})
export type DocsInput = z.output<typeof docsInput>

export const docInput = z.strictObject({ docId: label() })

const fieldProblem = `must be ${facetColumns.join(', ')} or metadata.<key>`

const isField = (name: string): name is FacetField =>
  facetColumns.some((column) => column === name) || /^metadata\../s.test(name)

const limitProblem = 'must be between 1 and 100'

export const facetsInput = z.strictObject({
  fields: z
    .array(text('metadata.'.length + 128).refine(isField, fieldProblem), 'must be a list')
    .min(1, 'must be 1 to 8 fields')
    .max(8, 'must be 1 to 8 fields')
    .refine((names) => new Set(names).size === names.length, 'must not repeat a value')
    .meta({ uniqueItems: true }),
  filters: filtersInput.prefault({}),
  planes: z.array(z.enum(planes)).min(1, 'must not be empty').optional(),
  limit: z.int(limitProblem).min(1, limitProblem).max(100, limitProblem).default(20),
})
export type FacetsInput = z.output<typeof facetsInput>
