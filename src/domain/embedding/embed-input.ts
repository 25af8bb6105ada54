import { z } from 'zod'
import { label } from '../input/parse.ts'

/** In UTF-16 units: what a provider takes within its time. */
const maxText = 32_768
const maxTotal = 1_048_576

export const embedInput = z.strictObject({
  texts: z
    .array(label(maxText), 'must be a list')
    .min(1, 'must not be empty')
    .max(1000, 'must be at most 1000 texts')
    .refine(
      (texts) => texts.reduce((sum, text) => sum + text.length, 0) <= maxTotal,
      `must be at most ${maxTotal} characters together`,
    )
    .describe('The texts, at most 1 Mi characters together.'),
  kind: z
    .enum(['passage', 'query'])
    .default('passage')
    .describe('What the texts are: some models embed the two differently.'),
})
export type EmbedInput = z.output<typeof embedInput>
