import { randomUUID } from 'node:crypto'
import type { Handler } from './message.ts'

const sane = /^[A-Za-z0-9._-]{1,128}$/

/** The caller's `X-Request-Id` if it is valid, else a new one. */
export function requestIdOf(headers: Readonly<Record<string, string>>): string {
  const sent = headers['x-request-id']
  return sent !== undefined && sane.test(sent) ? sent : randomUUID()
}

/**
 * Sets the id once: handlers inside see it as a header, and every response has it. Inside another such handler it does
 * nothing.
 */
export function withRequestId(handler: Handler): Handler {
  return async (request) => {
    if (request.record.requestId !== null) return handler(request)
    const id = requestIdOf(request.headers)
    request.record.requestId = id
    const response = await handler({ ...request, headers: { ...request.headers, 'x-request-id': id } })
    return { ...response, headers: { ...response.headers, 'x-request-id': id } }
  }
}
