import { internalProblem, ServiceError } from '../errors.ts'
import { isLongJson, stringifyInSlices } from '../slices/stringify-json.ts'
import type { HttpResponse } from './message.ts'

/** Answers belong to one caller: caches must not keep them, and browsers must not guess another type. */
export const privateHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

/** A long body is sent in pieces while it is written. */
export function json(status: number, body: unknown): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...privateHeaders },
    body: isLongJson(body) ? stringifyInSlices(body) : JSON.stringify(body ?? null),
  }
}

/** The one error shape: `{error, detail, status}`, and `required_tier` where a higher tier would help. */
export function errorBody(error: ServiceError, detail = error.detail): Record<string, string | number> {
  return {
    error: error.code,
    detail,
    status: error.status,
    ...(error.requiredTier === undefined ? {} : { required_tier: error.requiredTier }),
  }
}

/** The error that a caller sees for an unexpected failure. */
export const internalError = () => new ServiceError('internal_error', internalProblem)
