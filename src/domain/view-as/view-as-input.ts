import { z } from 'zod'
import { pageInput } from '../input/page.ts'
import { label } from '../input/parse.ts'
import { searchInput } from '../search/search-input.ts'
import { unitsInput } from '../units/unit-input.ts'

const principalId = label().describe('A principal homed in the namespace or granted there.')

export const searchAsInput = z.strictObject({
  principalId,
  input: searchInput
    .refine(({ answer }) => !answer, { path: ['answer'], message: 'must not be true here' })
    .refine(({ image }) => image?.sourceUri === undefined, {
      path: ['image', 'sourceUri'],
      message: 'is not allowed here: send the picture itself',
    })
    .describe('The query, without `answer`.'),
})
export type SearchAsInput = z.output<typeof searchAsInput>

export const unitsAsInput = z.strictObject({
  principalId,
  ...pageInput('Offset among these Units.').shape,
  filters: unitsInput.shape.filters,
})
export type UnitsAsInput = z.output<typeof unitsAsInput>
