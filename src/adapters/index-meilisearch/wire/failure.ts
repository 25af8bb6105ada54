import { MeilisearchApiError, MeilisearchRequestError } from 'meilisearch'
import { z } from 'zod'
import { codeOfStatus, failuresOf, isFailure, RemoteError, wasSent } from '../../resilience/remote-error.ts'

/** `vendorCode` is one of https://www.meilisearch.com/docs/reference/errors/error_codes. */
export const failure: ReturnType<typeof failuresOf> = (code, problem, facts) =>
  named(code, facts?.vendorCode ? `${problem}: ${facts.vendorCode}` : problem, facts)

const named = failuresOf('Meilisearch')

/** The engine has read the request and will not execute it. */
export const isRefusal = (error: unknown): boolean => isFailure(error, 'refused', 'absent', 'conflict')

/** An error code that is safe to show, even if a server or a proxy sent something else. */
export const safeCode = (code: unknown): string | null =>
  typeof code === 'string' && /^[a-z_]{1,64}$/.test(code) ? code : null

/** What an SDK error says about the engine. SDK errors contain the request and its key: they are not passed on. */
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
  // Something that the SDK or a schema could not parse.
  if (error instanceof SyntaxError || error instanceof z.ZodError || error instanceof TypeError) {
    return failure('malformed', 'answered in no known shape')
  }
  return failure('unreachable', 'could not be reached')
}
