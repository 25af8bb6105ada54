import { ServiceError } from '../errors.ts'
import type { Log } from '../model/log.ts'
import { errorBody, internalError, json } from './json.ts'
import type { Handler, HttpRequest, HttpResponse } from './message.ts'
import { idsOf } from './request-record.ts'

type Failing = Pick<HttpRequest, 'record'>

/** The part of a failure that a caller may see. Unexpected errors, and every 5xx, are logged with their stack. */
export function toServiceError(error: unknown, { record }: Failing, log: Log): ServiceError {
  const failure = error instanceof ServiceError ? error : internalError()
  record.error = failure.code
  if (failure.retryAfter !== undefined) record.headers['retry-after'] = `${failure.retryAfter}`
  if (failure.status >= 500) {
    log.error({ err: error, ...idsOf(record) }, 'a request failed')
  }
  return failure
}

/** Turns anything thrown into the one error shape. */
export function toErrorResponse(error: unknown, request: Failing, log: Log): HttpResponse {
  const failure = toServiceError(error, request, log)
  const response = json(failure.status, errorBody(failure))
  if (failure.retryAfter === undefined) return response
  return { ...response, headers: { ...response.headers, 'retry-after': `${failure.retryAfter}` } }
}

export function withFailures(handler: Handler, log: Log): Handler {
  return async (request) => {
    try {
      return await handler(request)
    } catch (error) {
      return toErrorResponse(error, request, log)
    }
  }
}
