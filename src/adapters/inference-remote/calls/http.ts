import { receive } from '../../resilience/receive.ts'
import { RemoteError } from '../../resilience/remote-error.ts'
import { malformed, problem } from './guard.ts'

/** Longer answers would block the event loop while they are parsed. */
const maxBytes = 2 ** 20
/** With all digits and some room. */
const bytesPerNumber = 32

/** How long an answer with vectors may be. */
export const bytesOfVectors = (vectors: number, dims: number): number => maxBytes + vectors * dims * bytesPerNumber

/**
 * `fetch` for JSON APIs: reads the whole answer, which must be JSON and at most `max` bytes; everything else is a
 * RemoteError.
 */
export async function boundedFetch(
  input: string | URL | Request,
  init: RequestInit = {},
  max: number = maxBytes,
): Promise<Response> {
  const { status, text } = await receive(input, init, { fail: problem, maxBytes: max })
  try {
    JSON.parse(text)
  } catch {
    throw malformed('answered with what is not JSON')
  }
  return new Response(text, { status, headers: { 'content-type': 'application/json' } })
}

/** Posts JSON and returns the JSON answer. */
export async function postJson(
  url: string,
  body: object,
  { apiKey, signal }: { apiKey: string | null; signal: AbortSignal },
): Promise<unknown> {
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' }
  if (apiKey !== null) headers.authorization = `Bearer ${apiKey}`
  const response = await boundedFetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal })
  return response.json()
}

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

/** Answers of a server that does not support an address or a field. */
const unknowing: ReadonlySet<number | null> = new Set([400, 404, 405, 422])

/** Runs a request in the first variant that the server accepts; remembers that variant for later requests. */
export type Variants<V> = <T>(request: (variant: V) => Promise<T>) => Promise<T>

/** Servers of one API differ in undocumented details. If none is accepted, throws the first variant's error. */
export function createVariants<V>(variants: readonly V[]): Variants<V> {
  let taken: V | null = null
  return async (request) => {
    if (taken !== null) return request(taken)
    let first: unknown = null
    for (const variant of variants) {
      try {
        const answer = await request(variant)
        taken = variant
        return answer
      } catch (error) {
        first ??= error
        if (!(error instanceof RemoteError && unknowing.has(error.httpStatus))) throw error
      }
    }
    throw first
  }
}

/** The possible addresses of an API that some servers have next to their `/v1` and some below it. */
export function addressesOf(baseUrl: string, path: string): string[] {
  const beside = baseUrl.replace(/\/v\d+$/u, '')
  return [...new Set([baseUrl, beside])].map((address) => `${address}${path}`)
}
