import { MeilisearchApiError, MeilisearchRequestError } from 'meilisearch'
import { z } from 'zod'
import { codeOfStatus, failuresOf, isFailure, RemoteError, wasSent } from '../../resilience/remote-error.ts'

/** `vendorCode` is one of https://www.meilisearch.com/docs/reference/errors/error_codes. */
export const failure: ReturnType<typeof failuresOf> = (code, problem, facts) =>
  named(code, facts?.vendorCode ? `${problem}: ${facts.vendorCode}` : problem, facts)

const named = failuresOf('Meilisearch')

/** It has read the request, and will not do it. */
export const isRefusal = (error: unknown): boolean => isFailure(error, 'refused', 'absent', 'conflict')

/** An error code as it is safe to show, whatever a server or a proxy before it put in its place. */
export const safeCode = (code: unknown): string | null =>
  typeof code === 'string' && /^[a-z_]{1,64}$/.test(code) ? code : null

/** What an error of the SDK says of the engine. The SDK's own errors hold the request, its key too: they end here. */
export function failureOf(error: unknown, signal: AbortSignal): RemoteError {
  if (error instanceof RemoteError) return error
  if (signal.aborted) return failure('timeout', 'did not answer in time')
  if (error instanceof MeilisearchApiError) {
    const { status } = error.response
    const facts = { httpStatus: status, vendorCode: safeCode(error.cause?.code) }
    return failure(codeOfStatus(status), `answered ${status}`, facts)
  }
  if (error instanceof MeilisearchRequestError) {
    return failure('unreachable', 'is not reachable', { wasSent: wasSent(error) })
  }
  // What the SDK or a schema could not read.
  if (error instanceof SyntaxError || error instanceof z.ZodError || error instanceof TypeError) {
    return failure('malformed', 'answered in no known shape')
  }
  return failure('unreachable', 'could not be asked')
}
