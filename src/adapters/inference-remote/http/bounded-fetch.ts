import { receive } from '../../resilience/receive.ts'
import { malformed, problem } from '../guard/problems.ts'

/** No answer is larger: 32 vectors of 4,096 dimensions are about 3 MB. */
const maxBytes = 32 * 2 ** 20

/** `fetch` for JSON APIs: reads the whole answer, which must be JSON; everything else is a RemoteError. */
export async function boundedFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const { status, text } = await receive(input, init, { fail: problem, maxBytes })
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
