import { z } from 'zod'
import type { RequestLimit, RequestLimits } from '../model/request.ts'

const limit = z
  .string()
  .refine(
    (text) => /^[1-9]\d{0,8}\/[1-9]\d{0,5}$/.test(text),
    'must be requests/seconds such as 600/60, both at least 1, with at most 9 and 6 digits',
  )
  .transform((text): RequestLimit => {
    const [requests = 0, seconds = 0] = text.split('/').map(Number)
    return { requests, seconds }
  })
  .optional()

/** How many requests callers may send. */
export const requestLimitSettings = {
  RATE_LIMIT_PRINCIPAL: limit.describe(
    'Requests in a number of seconds that all credentials of a principal may send, such as 600/60. Default: no limit',
  ),
  RATE_LIMIT_NAMESPACE: limit.describe(
    'Requests in a number of seconds that all principals of a home namespace may send, such as 6000/60. Default: no limit',
  ),
}

export const requestLimitsConfig = (env: z.infer<z.ZodObject<typeof requestLimitSettings>>): RequestLimits => ({
  principal: env.RATE_LIMIT_PRINCIPAL ?? null,
  namespace: env.RATE_LIMIT_NAMESPACE ?? null,
})
