import { z } from 'zod'
import { scopePattern } from '../input/fields.ts'
import { label } from '../input/parse.ts'

export const explainInput = z
  .strictObject({
    principalId: label().describe('The principal.'),
    unitId: label().optional().describe('A Unit; either this or a scope.'),
    scope: scopePattern.optional().describe('A scope path, or `*` for any scope in which it has a grant.'),
  })
  .refine(
    ({ unitId, scope }) => (unitId === undefined) !== (scope === undefined),
    'needs exactly one of unitId and scope',
  )
export type ExplainInput = z.output<typeof explainInput>
