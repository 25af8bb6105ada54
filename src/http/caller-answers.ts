import { namespaceHeader, scopeHeader, seqHeader } from '../model/brand.ts'
import type { Handler } from './message.ts'

/** Headers that pages of other origins may read. */
export const exposedHeaders = (brand: string): readonly string[] => [
  'etag',
  'idempotency-replayed',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  seqHeader(brand).toLowerCase(),
]

/** The headers of an answer to a caller: what was noted, and `Vary` unless the answer names its own. */
export function withCallerHeaders(handler: Handler, brand: string): Handler {
  const vary = ['Authorization', 'Cookie', namespaceHeader(brand), scopeHeader(brand)].join(', ')
  return async (request) => {
    const response = await handler(request)
    return { ...response, headers: { vary, ...response.headers, ...request.record.headers } }
  }
}
