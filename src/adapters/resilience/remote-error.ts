/**
 * The kind of failure of a remote service. `timeout`, `unreachable`, `busy` (429, 408) and `broken` (5xx) may be
 * temporary. `absent` (404), `conflict` (409) and `refused` (any other 4xx) are final answers. `malformed`: an answer
 * of unknown shape. `failed`: the service accepted the request and reported later that it was not executed. `paused`:
 * the service failed a moment ago, so it was not called.
 */
export type FailureCode =
  | 'timeout'
  | 'unreachable'
  | 'busy'
  | 'broken'
  | 'absent'
  | 'conflict'
  | 'refused'
  | 'malformed'
  | 'failed'
  | 'paused'

/** After these it is unknown whether the request was executed. */
const inconclusive: ReadonlySet<FailureCode> = new Set(['timeout', 'unreachable', 'broken', 'malformed'])

interface Facts {
  /** Of the HTTP answer. */
  httpStatus?: number | null
  /** How long the service requests not to be called. */
  retryAfterMs?: number | null
  /** The service's own code for the failure. */
  vendorCode?: string | null
  /** False if no connection was made. */
  wasSent?: boolean
}

/** Contains nothing of the request or the answer: requests contain keys, and both contain tenants' data. */
export class RemoteError extends Error {
  readonly code: FailureCode
  /** (An SDK interprets a property named `status`.) */
  readonly httpStatus: number | null
  readonly retryAfterMs: number | null
  readonly vendorCode: string | null
  /** The request may still be executed, now or later. */
  readonly mayBeDone: boolean

  constructor(
    code: FailureCode,
    message: string,
    { httpStatus = null, retryAfterMs = null, vendorCode = null, wasSent = true }: Facts = {},
  ) {
    super(message)
    this.name = 'RemoteError'
    this.code = code
    this.httpStatus = httpStatus
    this.retryAfterMs = retryAfterMs
    this.vendorCode = vendorCode
    this.mayBeDone = wasSent && inconclusive.has(code)
  }
}

/** Makes the errors of one service. */
export type Fail = (code: FailureCode, problem: string, facts?: Facts) => RemoteError

export const failuresOf =
  (service: string): Fail =>
  (code, problem, facts) =>
    new RemoteError(code, `${service} ${problem}`, facts)

export const isFailure = (error: unknown, ...codes: FailureCode[]): error is RemoteError =>
  error instanceof RemoteError && codes.includes(error.code)

export function codeOfStatus(status: number): FailureCode {
  if (status === 429 || status === 408) return 'busy'
  if (status >= 500) return 'broken'
  if (status === 404) return 'absent'
  return status === 409 ? 'conflict' : 'refused'
}

const noConnection: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'])

/** The system's code (`ECONNREFUSED`) of an error or of one of its causes; null if there is none. */
export function systemCodeOf(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code
  }
  return null
}

/** False if connecting failed: nothing was sent. */
export const wasSent = (error: unknown): boolean => !noConnection.has(systemCodeOf(error))
