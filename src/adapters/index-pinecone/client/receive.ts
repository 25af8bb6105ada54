import { malformed, PineconeFailure, timedOut } from './failure.ts'

/** No answer is larger: 100 records of 16,384 dimensions are about 25 MB. */
const mostBytes = 64 * 2 ** 20

/** So much of an error's answer is read. */
const mostErrorBytes = 64 * 2 ** 10

/** There was no connection on which anything could be sent. */
const noConnection: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'])

export interface Received {
  status: number
  headers: Headers
  text: string
}

/**
 * `fetch` that reads the answer whole; whatever is no success is a PineconeFailure. Redirects are not followed, since
 * the key would go with them.
 */
export async function receive(input: string | URL | Request, init: RequestInit): Promise<Received> {
  try {
    const response = await fetch(input, { ...init, redirect: 'error' })
    if (!response.ok) throw await failureOf(response, `${init.method ?? 'GET'} ${pathOf(input)}`)
    return { status: response.status, headers: response.headers, text: await read(response, mostBytes) }
  } catch (error) {
    if (error instanceof PineconeFailure) throw error
    if (init.signal?.aborted) throw timedOut()
    const code = codeOf(error)
    throw new PineconeFailure('unreachable', `could not be reached${code === null ? '' : ` (${code})`}`, {
      wasSent: !noConnection.has(code ?? ''),
    })
  }
}

async function failureOf(response: Response, request: string): Promise<PineconeFailure> {
  const { status, headers } = response
  const text = await read(response, mostErrorBytes).catch(() => '')
  const kind =
    status === 429 || status === 408
      ? 'busy'
      : status >= 500
        ? 'broken'
        : status === 404
          ? 'absent'
          : status === 409
            ? 'conflict'
            : 'refused'
  return new PineconeFailure(kind, `answered ${status} to ${request}`, {
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
    ofNamespace: status === 404 && namesNamespace(text),
  })
}

/** The data plane says NOT_FOUND (gRPC's 5) of a namespace; of an index that is gone there is nobody to say anything. */
function namesNamespace(text: string): boolean {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null && 'code' in answer && answer.code === 5
  } catch {
    return false
  }
}

async function read({ body }: Response, most: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > most) throw malformed('answered with too much')
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** The header Retry-After in seconds (RFC 9110, 10.2.3); a date, which Pinecone does not send, counts as none. */
const retryAfterMs = (header: string | null) =>
  header !== null && /^\d{1,6}$/u.test(header) ? Number(header) * 1000 : null

/** Without the query, which may tell ids. */
const pathOf = (input: string | URL | Request) => new URL(input instanceof Request ? input.url : input).pathname

/** `ECONNREFUSED` and the like. */
function codeOf(error: unknown): string | null {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof Error && 'code' in cause ? String(cause.code) : null
}
