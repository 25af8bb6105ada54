import type { Handler, HttpResponse } from './message.ts'

/** Answers HEAD where `handler` answers GET: the same status and headers, without a body. */
export function withHead(handler: Handler): Handler {
  return async (request) => {
    if (request.method !== 'HEAD') return handler(request)
    const { body, ...response } = await handler({ ...request, method: 'GET', isHead: true })
    const length = response.status === 304 ? {} : await lengthOf(body)
    return { ...response, headers: { ...response.headers, ...length }, body: '' }
  }
}

/** A stream has no length, and is not started. */
async function lengthOf(body: HttpResponse['body']): Promise<Record<string, string>> {
  if (typeof body === 'string' || body instanceof Uint8Array) return { 'content-length': `${Buffer.byteLength(body)}` }
  await body[Symbol.asyncIterator]().return?.()
  return {}
}
