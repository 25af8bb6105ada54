import { internalProblem, ServiceError } from '../errors.ts'
import { isLongJson, stringifyInSlices } from '../slices/stringify-json.ts'
import type { HttpResponse } from './message.ts'

/** Answers belong to one caller: caches must not keep them, and browsers must not guess another type. */
export const privateHeaders = { 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' } as const

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', ...privateHeaders } as const

/** A long body is sent in pieces while it is written. */
export function json(status: number, body: unknown): HttpResponse {
  return {
    status,
    headers: jsonHeaders,
    body: isLongJson(body) ? stringifyInSlices(body) : JSON.stringify(body ?? null),
  }
}

/** The success of JSON that is written already. */
export const jsonOf = (text: string): HttpResponse => ({ status: 200, headers: jsonHeaders, body: text })

/** The same as one text. */
export async function jsonText(body: unknown): Promise<string> {
  if (!isLongJson(body)) return JSON.stringify(body ?? null)
  const pieces: string[] = []
  for await (const piece of stringifyInSlices(body)) pieces.push(piece)
  return pieces.join('')
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
