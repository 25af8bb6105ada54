import { MeilisearchApiError, MeilisearchRequestError } from 'meilisearch'
import { z } from 'zod'
import { EngineError, safeCode } from './engine-error.ts'

/** What an error of the SDK says of the engine. The SDK's own errors hold the request, its key too: they end here. */
export function failureOf(error: unknown, signal: AbortSignal): EngineError {
  if (error instanceof EngineError) return error
  if (signal.aborted) return new EngineError('timeout', 'did not answer in time')
  if (error instanceof MeilisearchApiError) {
    const { status } = error.response
    const code = safeCode(error.cause?.code)
    if (status >= 500 || status === 429) return new EngineError('broken', `failed (${status})`, code)
    return new EngineError('refused', `refused a request (${status})`, code)
  }
  if (error instanceof MeilisearchRequestError) {
    return new EngineError('unreachable', 'is not reachable', null, !isUnconnected(error))
  }
  // What the SDK or a schema could not read.
  if (error instanceof SyntaxError || error instanceof z.ZodError || error instanceof TypeError) {
    return new EngineError('malformed', 'answered in no known shape')
  }
  return new EngineError('unreachable', 'could not be asked')
}

/** There was no connection on which anything could be sent. */
const noConnection: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'])

/** The system's own error is the cause of the cause. */
function isUnconnected(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if ('code' in at && noConnection.has(at.code)) return true
  return false
}
