import { z } from 'zod'
import { planes } from '../../model/unit.ts'

export const compactionInput = z
  .strictObject({
    planes: z.array(z.enum(planes)).min(1, 'must not be empty').optional().describe('Default: all planes.'),
  })
  .meta({ title: 'CompactInput', about: 'What to reconcile.' })
export type CompactionInput = z.output<typeof compactionInput>

export const resetVectorsInput = z.strictObject({ plane: z.enum(planes).describe('The plane.') })
