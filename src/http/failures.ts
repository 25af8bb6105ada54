import { ServiceError } from '../errors.ts'
import { errorBody, internalError, json } from './json.ts'
import type { Log } from './log.ts'
import type { Handler, HttpResponse } from './message.ts'

/** Turns whatever was thrown into the one error shape. What was not meant for a caller is logged, never sent. */
export function toErrorResponse(error: unknown, requestId: string | undefined, log?: Log): HttpResponse {
  if (error instanceof ServiceError) return json(error.status, errorBody(error))
  log?.error({ err: error, requestId }, 'unhandled failure')
  return json(500, errorBody(internalError()))
}

export function withFailures(handler: Handler, log?: Log): Handler {
  return async (request) => {
    try {
      return await handler(request)
    } catch (error) {
      return toErrorResponse(error, request.headers['x-request-id'], log)
    }
  }
}
