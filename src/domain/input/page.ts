import { z } from 'zod'

const limitProblem = 'must be between 1 and 100'

/** Selects a page of a list; `cursor` is an offset. */
export const pageInput = z.strictObject({
  limit: z.int(limitProblem).min(1, limitProblem).max(100, limitProblem).default(100),
  cursor: z.int().min(0, 'must not be negative').max(Number.MAX_SAFE_INTEGER).default(0),
})
export type PageInput = z.output<typeof pageInput>
