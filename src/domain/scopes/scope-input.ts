import { z } from 'zod'
import { planes } from '../../model/unit.ts'
import { scopePath } from '../input/fields.ts'

export const scopeInput = z.strictObject({ scope: scopePath })

const changes = z
  .strictObject({
    planes: z.array(z.enum(planes)).min(1, 'must not be empty').nullish(),
    readOnlyAgents: z.boolean('must be true or false').nullish(),
    /** Null removes the parent. */
    parent: scopePath.nullish(),
  })
  .refine(
    ({ planes, readOnlyAgents, parent }) => (planes ?? readOnlyAgents ?? null) !== null || parent !== undefined,
    'must change at least one field',
  )

export const scopeUpdate = z.strictObject({ scope: scopePath, input: changes })
export type ScopeChanges = z.output<typeof changes>
