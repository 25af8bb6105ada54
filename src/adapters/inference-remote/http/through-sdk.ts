import { malformed } from '../guard/problems.ts'
import { boundedFetch } from './bounded-fetch.ts'

/**
 * One call of a vendor's SDK over a `fetch` that obeys the signal. SDKs wrap errors of `fetch` in their own errors,
 * which contain requests and answers. This throws the original error of `fetch`, or that the SDK could not read the
 * answer.
 */
export async function throughSdk<T>(
  signal: AbortSignal,
  call: (fetch: typeof globalThis.fetch) => Promise<T>,
  maxBytes?: number,
): Promise<T> {
  const failures: unknown[] = []
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    try {
      return await boundedFetch(input, { ...init, signal }, maxBytes)
    } catch (error) {
      failures.push(error)
      throw error
    }
  }
  try {
    return await call(fetch)
  } catch {
    throw failures.at(-1) ?? malformed('answered in no known shape')
  }
}
