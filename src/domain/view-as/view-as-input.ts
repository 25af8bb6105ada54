import { z } from 'zod'
import { label } from '../input/parse.ts'
import { searchInput } from '../search/search-input.ts'
import { unitsInput } from '../units/unit-input.ts'

export const searchAsInput = z.strictObject({
  principalId: label(),
  input: searchInput.refine(({ answer }) => !answer, { path: ['answer'], message: 'must not be true here' }),
})
export type SearchAsInput = z.output<typeof searchAsInput>

export const unitsAsInput = z.strictObject({ principalId: label(), ...unitsInput.shape })
export type UnitsAsInput = z.output<typeof unitsAsInput>
