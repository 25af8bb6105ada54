import { codeOfStatus, type Fail, RemoteError, systemCodeOf, wasSent } from './remote-error.ts'
import { retryAfterMs } from './retries.ts'

/** How much of an error's body is read. */
const maxErrorBytes = 64 * 2 ** 10

interface ReceiveOptions {
  fail: Fail
  maxBytes: number
  /** The name of the request for error messages. */
  request?: string
  /** Reads the service's own code from the body of an error. */
  vendorCode?: (text: string) => string | null
}

export interface Received {
  status: number
  headers: Headers
  text: string
}

/**
 * `fetch` that reads the whole answer. Throws RemoteError for everything except a success. Does not follow redirects,
 * since they would receive the key.
 */
export async function receive(
  input: string | URL | Request,
  init: RequestInit,
  options: ReceiveOptions,
): Promise<Received> {
  const { fail, maxBytes } = options
  try {
    const response = await fetch(input, { ...init, redirect: 'error' })
    if (!response.ok) throw await failureOf(response, options)
    return { status: response.status, headers: response.headers, text: await read(response, maxBytes, fail) }
  } catch (error) {
    if (error instanceof RemoteError) throw error
    if (init.signal?.aborted) throw fail('timeout', 'did not answer in time')
    const code = systemCodeOf(error)
    throw fail('unreachable', `could not be reached${code === null ? '' : ` (${code})`}`, { wasSent: wasSent(error) })
  }
}

async function failureOf(response: Response, { fail, request, vendorCode }: ReceiveOptions): Promise<RemoteError> {
  const { status, headers, body } = response
  const text = vendorCode ? await read(response, maxErrorBytes, fail).catch(() => '') : ''
  if (!vendorCode) await body?.cancel()
  return fail(codeOfStatus(status), `answered ${status}${request === undefined ? '' : ` to ${request}`}`, {
    httpStatus: status,
    retryAfterMs: retryAfterMs(headers.get('retry-after'), Date.now()),
    vendorCode: vendorCode?.(text) ?? null,
  })
}

async function read({ body }: Response, maxBytes: number, fail: Fail): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw fail('malformed', 'answered with too much')
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
