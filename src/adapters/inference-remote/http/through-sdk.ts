import { malformed } from '../guard/problems.ts'
import { boundedFetch } from './bounded-fetch.ts'

/**
 * One call of a vendor's SDK over a `fetch` that heeds the signal. SDKs wrap what it throws in errors of their own, which
 * carry requests and answers: what is thrown here is what `fetch` threw, or that the SDK could not read the answer.
 */
export async function throughSdk<T>(
  signal: AbortSignal,
  call: (fetch: typeof globalThis.fetch) => Promise<T>,
): Promise<T> {
  const failures: unknown[] = []
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    try {
      return await boundedFetch(input, { ...init, signal })
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
