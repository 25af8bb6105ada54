import { type Handler, type HttpResponse, readLimited } from './message.ts'

export type Fetch = (request: Request) => Promise<Response>

/** A handler as a fetch function: what tests call instead of opening a socket. */
export function toFetch(handler: Handler): Fetch {
  return async (request) => {
    const url = new URL(request.url)
    const response = await handler({
      method: request.method,
      target: `${url.pathname}${url.search}`,
      headers: { host: url.host, ...Object.fromEntries(request.headers) },
      body: (limit) => readLimited(request.body ?? emptyBody(), limit),
    })
    return toResponse(response)
  }
}

/** A fetch function (a mounted library) as a handler. `bodyLimit` is applied before the function sees the request. */
export function fromFetch(fetch: Fetch, bodyLimit?: number): Handler {
  return async (request) => {
    const bodiless = request.method === 'GET' || request.method === 'HEAD'
    const bytes = bodiless ? null : Uint8Array.from(await request.body(bodyLimit))
    // An empty body is none: it needs no content type.
    const body = bytes?.byteLength ? bytes : null
    const headers = new Headers()
    for (const [name, value] of Object.entries(request.headers)) headers.set(name, value)
    const url = absolute(request.target, request.headers.host)
    const response = await fetch(new Request(url, { method: request.method, headers, body }))
    return fromResponse(response)
  }
}

function absolute(target: string, host = 'localhost'): URL {
  if (/^https?:/i.test(target)) return new URL(target)
  const base = `http://${host}`
  return new URL(`${URL.canParse(base) ? new URL(base).origin : 'http://localhost'}${target}`)
}

function toResponse({ status, headers, body }: HttpResponse): Response {
  const out = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    for (const one of typeof value === 'string' ? [value] : value) out.append(name, one)
  }
  const empty = status === 204 || status === 304
  return new Response(empty ? null : toBody(body), { status, headers: out })
}

function toBody(body: HttpResponse['body']): BodyInit {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? Uint8Array.from(body) : streamOf(body)
}

function streamOf(chunks: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: async () => {
      await iterator.return?.()
    },
  })
}

async function fromResponse(response: Response): Promise<HttpResponse> {
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of response.headers) headers[name] = value
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = cookies
  return { status: response.status, headers, body: new Uint8Array(await response.arrayBuffer()) }
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}
