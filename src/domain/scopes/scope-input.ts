import { z } from 'zod'
import { planes } from '../../model/unit.ts'
import { scopePath } from '../input/fields.ts'

export const scopeInput = z.strictObject({ scope: scopePath.describe('The path.') })

export const newScope = z
  .strictObject({ scope: scopePath.describe('Path of 1-8 segments of `[A-Za-z0-9._-]`.') })
  .meta({ title: 'CreateScopeInput', about: 'A scope to register.' })

const changes = z
  .strictObject({
    planes: z
      .array(z.enum(planes))
      .min(1, 'must not be empty')
      .nullish()
      .describe('The planes that accept Units and are searched. Units of other planes are still listed.'),
    readOnlyAgents: z
      .boolean('must be true or false')
      .nullish()
      .describe('If true, agents may only read here and below, whatever their grants.'),
    parent: scopePath.nullish().describe('A registered scope above it, or null for none.'),
  })
  .refine(
    ({ planes, readOnlyAgents, parent }) => (planes ?? readOnlyAgents ?? null) !== null || parent !== undefined,
    'must change at least one field',
  )
  .meta({ title: 'UpdateScopeInput', about: 'Changes to a scope. Fields that are left out keep their values.' })

export const scopeUpdate = scopeInput.extend({ input: changes.describe('The changes.') })
export type ScopeChanges = z.output<typeof changes>
