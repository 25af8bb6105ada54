import { z } from 'zod'
import { scopePattern } from '../input/fields.ts'
import { label } from '../input/parse.ts'

export const explainInput = z
  .strictObject({ principalId: label(), unitId: label().optional(), scope: scopePattern.optional() })
  .refine(
    ({ unitId, scope }) => (unitId === undefined) !== (scope === undefined),
    'needs exactly one of unitId and scope',
  )
export type ExplainInput = z.output<typeof explainInput>
