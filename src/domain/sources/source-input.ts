import { z } from 'zod'
import { label } from '../input/parse.ts'

export const sourceInput = z.strictObject({
  data: z.instanceof(Uint8Array).refine((data) => data.length > 0, 'must not be empty'),
  mime: label(255).default('application/octet-stream'),
})
export type SourceInput = z.output<typeof sourceInput>
