/** The one error table: machine code, HTTP status and when it is used. GraphQL and REST both render it. */
export const errorTable = {
  bad_request: { status: 400, when: 'The request is malformed or fails validation.' },
  idempotency_key_reused: {
    status: 400,
    when: 'The `Idempotency-Key` was used for another request in the last 24 hours.',
  },
  idempotency_in_progress: {
    status: 409,
    when: 'The first request with this `Idempotency-Key` is still running after 30 seconds.',
  },
  unauthorized: { status: 401, when: 'The credential is missing or invalid.' },
  upgrade_required: { status: 402, when: 'The action exceeds the tier; carries required_tier.' },
  quota_exceeded: { status: 402, when: 'The volume exceeds the tier; carries required_tier.' },
  persisted_query_not_found: { status: 400, when: 'No GraphQL document with this id or hash is known.' },
  persisted_only: { status: 400, when: 'The service runs only persisted GraphQL documents.' },
  invalid_signature: { status: 400, when: "The webhook's signature is bad or missing." },
  forbidden: { status: 403, when: 'Authenticated but lacking permission, or the namespace was not granted.' },
  not_found: { status: 404, when: 'Unknown route or id, or a Unit that the caller may not read.' },
  audit_inconsistent: {
    status: 503,
    when: 'The audit log is not intact, or not the one that earlier checkpoints were signed for: nothing of it is signed or proved.',
  },
  audit_anchor_unavailable: {
    status: 503,
    when: 'The place that keeps checkpoints of audit logs fails or does not answer in time.',
  },
  method_not_allowed: { status: 405, when: 'The method is not one of those that the header `Allow` lists.' },
  not_acceptable: { status: 406, when: 'The header `Accept` leaves no media type that can be sent.' },
  request_timeout: { status: 408, when: 'The head or the body of the request took too long to arrive.' },
  uri_too_long: { status: 414, when: 'The request target is longer than 8 KiB.' },
  range_not_satisfiable: { status: 416, when: 'The header `Range` asks for bytes outside of the source.' },
  unsupported_media_type: {
    status: 415,
    when: 'The body is not of the media type that is required, or it is compressed.',
  },
  expectation_failed: { status: 417, when: 'The header `Expect` asks for something other than `100-continue`.' },
  headers_too_large: { status: 431, when: 'The headers of the request are longer than 16 KiB.' },
  rate_limited: {
    status: 429,
    when: 'Too many requests in a time, too many open requests or subscriptions, or too many answers that are not read.',
  },
  internal_error: { status: 500, when: 'Unhandled server error.' },
  source_store_unavailable: {
    status: 503,
    when: 'The store of uploaded sources fails or does not answer in time.',
  },
  overloaded: {
    status: 503,
    when: 'The bodies and unread answers of all callers take all memory that they may, or all connections are in use.',
  },
  not_indexed_yet: {
    status: 503,
    when: 'The indexes do not hold what the read shall follow (`after_seq`) within the time that the service waits.',
  },
  storage_full: { status: 503, when: 'The disk of the service is full: nothing can be written, reads go on.' },
  storage_unavailable: {
    status: 503,
    when: 'The data directory of the service is gone, failing or read-only: nothing can be written.',
  },
  inference_unavailable: { status: 503, when: 'The provider of a model fails or does not answer in time.' },
  billing_not_configured: { status: 503, when: 'No payment provider is configured.' },
  billing_unavailable: { status: 503, when: 'The payment provider fails, refuses or does not answer in time.' },
  mail_not_configured: { status: 503, when: 'The service sends no mails: no SMTP server or mail hook is configured.' },
  webhook_not_configured: { status: 503, when: "The webhook's endpoint secret is missing." },
} as const

export type ErrorCode = keyof typeof errorTable

/** An error that a caller may see: `detail` is sent to the caller, so it must never contain internals or secrets. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly detail: string
  readonly status: number
  readonly requiredTier: string | undefined
  /** Seconds after which the same request may succeed. */
  readonly retryAfter: number | undefined

  constructor(
    code: ErrorCode,
    detail: string,
    { requiredTier, retryAfter }: { requiredTier?: string; retryAfter?: number } = {},
  ) {
    super(detail)
    this.name = 'ServiceError'
    this.code = code
    this.detail = detail
    this.status = errorTable[code].status
    this.requiredTier = requiredTier
    this.retryAfter = retryAfter
  }
}

/**
 * A segment of the path to invalid input, in GraphQL (camelCase) names. GraphQL and REST each render their own form.
 */
export type InputPath = readonly (string | number)[]

/**
 * Input that fails validation. GraphQL and REST render `field` in their own spelling before `problem`. The property
 * must not be called `path`: GraphQL executors treat an error with a `path` as already located.
 */
export class InvalidInputError extends ServiceError {
  readonly field: InputPath
  readonly problem: string

  constructor(field: InputPath, problem: string) {
    super('bad_request', field.length === 0 ? problem : `${renderPath(field)}: ${problem}`)
    this.field = field
    this.problem = problem
  }
}

/** `['units', 3, 'text']` -> `units[3].text`. */
export function renderPath(path: InputPath): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? part : `${text}.${part}`
  }, '')
}

/** The original error: executors wrap it, some of them more than once. */
export function rootCause(error: Error): Error {
  let cause = error
  for (let depth = 0; depth < 8; depth += 1) {
    if (!('originalError' in cause && cause.originalError instanceof Error)) break
    cause = cause.originalError
  }
  return cause
}

/** The text for an unexpected failure. */
export const internalProblem = 'internal error: try again, or report the X-Request-Id of this answer'

export const badRequest = (detail: string) => new ServiceError('bad_request', detail)
export const invalidSignature = () =>
  new ServiceError(
    'invalid_signature',
    'the webhook signature is bad or missing: sign the body with the endpoint secret',
  )
export const unauthorized = (detail = 'a valid token is required: send the header Authorization: Bearer <token>') =>
  new ServiceError('unauthorized', detail)
export const forbidden = (detail: string) => new ServiceError('forbidden', detail)
export const unknownHost = () =>
  forbidden(
    'Host: must be a name of this service: set PUBLIC_URL to the origin under which browsers reach it, or open it at localhost or its IP address',
  )
export const sourceStoreUnavailable = () =>
  new ServiceError('source_store_unavailable', 'the source store is unavailable; try again later')
export const storageFull = () =>
  new ServiceError('storage_full', 'the disk of the service is full; nothing was written, try again later')
export const storageUnavailable = () =>
  new ServiceError(
    'storage_unavailable',
    'the data directory of the service is gone, failing or read-only; try again later',
  )
export const billingNotConfigured = () =>
  new ServiceError(
    'billing_not_configured',
    'no payment provider is configured: the operator must set STRIPE_SECRET_KEY',
  )
export const billingUnavailable = () =>
  new ServiceError('billing_unavailable', 'the payment provider is unavailable; try again later')
export const mailNotConfigured = () =>
  new ServiceError(
    'mail_not_configured',
    'no mail server is configured, so passwords cannot be reset: the operator must set SMTP_URL or MAIL_WEBHOOK_URL',
  )
export const webhookNotConfigured = () =>
  new ServiceError(
    'webhook_not_configured',
    'the endpoint secret of the webhook is missing: the operator must set STRIPE_WEBHOOK_SECRET',
  )
export const namespaceNotGranted = () =>
  forbidden('the namespace was not granted: choose one that a grant of yours names')
export const notFound = (detail: string) => new ServiceError('not_found', detail)
/** Leaves out the query of the target, which may hold a secret, and the end of a long path. */
export const noSuchRoute = (method: string, target: string) =>
  notFound(`unknown route: ${method} ${target.replace(/\?.*/s, '').slice(0, 200)}. GET /openapi.json lists all routes`)
export const rangeNotSatisfiable = (bytes: number) =>
  new ServiceError('range_not_satisfiable', `the range must lie within the ${bytes} bytes of the source`)
export const noSuchSource = () =>
  notFound('no such source: the Unit must be one that you may read, with a source that was uploaded')
export const noSuchUnit = () => notFound('no such Unit: the id must be that of a Unit that you may read')
export const noSuchWritableUnit = () =>
  notFound('no such Unit: the id must be that of a Unit that you may read, in a scope where you may write')
export const noSuchScope = () => notFound('no such scope: it must be a registered scope that you may see')
interface TieredNamespace {
  name: string
  tier: string
}
/** `need` ends where the required tier is named: `answers require`. */
export const upgradeRequired = (need: string, { name, tier }: TieredNamespace, requiredTier: string) =>
  beyondTier('upgrade_required', `${need} the ${requiredTier} tier; the namespace has ${tier}`, name, requiredTier)
export const quotaExceeded = (limit: string, { name }: TieredNamespace, requiredTier: string) =>
  beyondTier('quota_exceeded', limit, name, requiredTier)
const beyondTier = (code: 'upgrade_required' | 'quota_exceeded', problem: string, namespace: string, tier: string) =>
  new ServiceError(code, [problem, wayUp(namespace, tier)].join(': '), { requiredTier: tier })
const wayUp = (namespace: string, tier: string) =>
  `where plans are sold, its owner can choose one, and the operator of the service can run multimodal-retrieval tier ${namespace} ${tier}`
export const auditAnchorUnavailable = () =>
  new ServiceError(
    'audit_anchor_unavailable',
    'the anchor of the audit log cannot be read, so the log cannot be compared with it; try again later',
  )
export const auditInconsistent = (detail: string) => new ServiceError('audit_inconsistent', detail)
