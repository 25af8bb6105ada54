import { receive } from '../../resilience/receive.ts'
import { malformed, problem } from '../guard/problems.ts'

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
