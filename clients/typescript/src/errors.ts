/** What a failed request says. `code` is the service's machine code, or `connection_error` without a response. */
export interface Failure {
  status: number
  code: string
  detail: string
  requestId: string | null
  /** Seconds after which a retry makes sense; null if the service does not say. */
  retryAfter: number | null
  requiredTier: string | null
  cause?: unknown
}

/** Every error of this client but an abort, which keeps its own reason. */
export class SvcError extends Error {
  override name = 'SvcError'
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly requestId: string | null
  readonly retryAfter: number | null

  constructor(failure: Failure) {
    super(`${failure.code}: ${failure.detail}`, failure.cause === undefined ? undefined : { cause: failure.cause })
    this.status = failure.status
    this.code = failure.code
    this.detail = failure.detail
    this.requestId = failure.requestId
    this.retryAfter = failure.retryAfter
  }
}

/** 402: `requiredTier` allows the request. */
class TierError extends SvcError {
  readonly requiredTier: string | null

  constructor(failure: Failure) {
    super(failure)
    this.requiredTier = failure.requiredTier
  }
}

export class BadRequest extends SvcError {
  override name = 'BadRequest'
}
export class Unauthorized extends SvcError {
  override name = 'Unauthorized'
}
export class UpgradeRequired extends TierError {
  override name = 'UpgradeRequired'
}
export class QuotaExceeded extends TierError {
  override name = 'QuotaExceeded'
}
export class Forbidden extends SvcError {
  override name = 'Forbidden'
}
export class NotFound extends SvcError {
  override name = 'NotFound'
}
export class RateLimited extends SvcError {
  override name = 'RateLimited'
}
export class Unavailable extends SvcError {
  override name = 'Unavailable'
}
export class InternalError extends SvcError {
  override name = 'InternalError'
}
/** 304: what `ifNoneMatch` names is still current. */
export class NotModified extends SvcError {
  override name = 'NotModified'
}
/** No response: the service is unreachable, broke the connection, or took longer than the timeout. */
export class ConnectionError extends SvcError {
  override name = 'ConnectionError'
}

const classes: Readonly<Record<number, typeof SvcError>> = {
  304: NotModified,
  400: BadRequest,
  401: Unauthorized,
  402: UpgradeRequired,
  403: Forbidden,
  404: NotFound,
  429: RateLimited,
  502: Unavailable,
  503: Unavailable,
  504: Unavailable,
}

/** The error of a response: its class follows the status, for 402 the code. */
export function errorOf(failure: Failure): SvcError {
  if (failure.code === 'quota_exceeded') return new QuotaExceeded(failure)
  const Known =
    classes[failure.status] ?? (failure.status >= 500 ? InternalError : failure.status >= 400 ? BadRequest : SvcError)
  return new Known(failure)
}
