import type { z } from 'zod'
import { decimal } from './kinds.ts'

/** When what is no longer needed is removed. */
export const sweepingSettings = {
  SWEEP_SECONDS: decimal(1, 86_400)
    .default(600)
    .describe(
      'Seconds between two sweeps: they remove ended sessions and links, uploads that no Unit names, and the bytes of deleted scopes and namespaces',
    ),
  UNUSED_SOURCE_HOURS: decimal(0, 87_600)
    .default(24)
    .describe('Hours after which an upload that no Unit names is removed'),
}

export interface SweepingConfig {
  everyMs: number
  unusedSourceMs: number
}

export const sweepingConfig = (env: z.infer<z.ZodObject<typeof sweepingSettings>>): SweepingConfig => ({
  everyMs: env.SWEEP_SECONDS * 1000,
  unusedSourceMs: env.UNUSED_SOURCE_HOURS * 3_600_000,
})
