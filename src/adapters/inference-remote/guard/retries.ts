import type { ProviderError } from './provider-error.ts'

/** After the first try. */
export const mostRetries = 2
const firstDelayMs = 200

const passing: ReadonlySet<string> = new Set(['unreachable', 'busy', 'broken'])

/**
 * How long to wait before the next try, in ms; null for none. As long as the provider asks, else a random part of a time
 * that doubles ("full jitter": Brooker, Exponential Backoff and Jitter, 2015).
 */
export function delayBefore(retry: number, error: ProviderError, random: number): number | null {
  if (retry >= mostRetries || !passing.has(error.code)) return null
  return error.retryAfterMs ?? random * firstDelayMs * 2 ** (retry + 1)
}

/** The header Retry-After (RFC 9110, 10.2.3): seconds, or a date. Null for none and for nonsense. */
export function retryAfterMs(header: string | null, epochMs: number): number | null {
  if (header === null) return null
  if (/^\s*\d{1,9}(\.\d+)?\s*$/u.test(header)) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - epochMs)
}
