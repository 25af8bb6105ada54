/**
 * What went wrong with a service that is asked over the network. `timeout`, `unreachable`, `busy` (429, 408) and `broken`
 * (5xx) may pass. `absent` (404), `conflict` (409) and `refused` (any other 4xx) are answers that stay. `malformed`: an
 * answer of no known shape. `failed`: the service took the request and reported later that it was not done. `paused`: it
 * failed a moment ago, so it was not asked.
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

/** These leave open what became of the request. */
const inconclusive: ReadonlySet<FailureCode> = new Set(['timeout', 'unreachable', 'broken', 'malformed'])

interface Facts {
  /** Of the HTTP answer. */
  httpStatus?: number | null
  /** How long the service asks not to be called. */
  retryAfterMs?: number | null
  /** The service's own code for the failure. */
  vendorCode?: string | null
  /** False where no connection was made. */
  wasSent?: boolean
}

/** Contains nothing of what was sent or answered: requests hold keys, and both hold what tenants wrote. */
export class RemoteError extends Error {
  readonly code: FailureCode
  /** (An SDK takes meaning from a property named `status`.) */
  readonly httpStatus: number | null
  readonly retryAfterMs: number | null
  readonly vendorCode: string | null
  /** The request may be done all the same, now or later. */
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

/** The system's code (`ECONNREFUSED`) of an error or of one of its causes; null for none. */
export function systemCodeOf(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code
  }
  return null
}

/** False for a failure to connect: nothing was sent. */
export const wasSent = (error: unknown): boolean => !noConnection.has(systemCodeOf(error))
