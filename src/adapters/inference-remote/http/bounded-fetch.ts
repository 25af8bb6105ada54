import { malformed, ProviderError } from '../guard/provider-error.ts'
import { retryAfterMs } from '../guard/retries.ts'

/** No answer is larger: 32 vectors of 4,096 dimensions are about 3 MB. */
const mostBytes = 32 * 2 ** 20

/**
 * `fetch` for JSON APIs: the answer is read whole and is JSON, whatever else came is a ProviderError. Redirects are not
 * followed, since the key would go with them.
 */
export async function boundedFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const { response, text } = await receive(input, init)
  try {
    JSON.parse(text)
  } catch {
    throw malformed('answered with what is not JSON')
  }
  return new Response(text, { status: response.status, headers: { 'content-type': 'application/json' } })
}

/** The JSON that a POST of JSON is answered with. */
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

async function receive(input: string | URL | Request, init: RequestInit) {
  try {
    const response = await fetch(input, { ...init, redirect: 'error' })
    if (!response.ok) {
      await response.body?.cancel()
      throw failedWith(response)
    }
    return { response, text: await read(response) }
  } catch (error) {
    if (error instanceof ProviderError || init.signal?.aborted) throw error
    throw new ProviderError('unreachable', `could not be reached${codeOf(error)}`)
  }
}

function failedWith({ status, headers }: Response): ProviderError {
  const code = status === 429 || status === 408 ? 'busy' : status >= 500 ? 'broken' : 'refused'
  return new ProviderError(code, `answered ${status}`, status, retryAfterMs(headers.get('retry-after'), Date.now()))
}

async function read({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > mostBytes) throw malformed('answered with too much')
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** ` (ECONNREFUSED)` and the like. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
}
