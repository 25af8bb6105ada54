/** What the service answered instead of data, or why there was no answer (`status` 0). */
export class ServiceError extends Error {
  readonly code: string
  readonly status: number
  readonly requestId: string | null
  /** The tier that would allow it, of a 402. */
  readonly requiredTier: string | null

  constructor(
    detail: string,
    about: { code: string; status: number; requestId: string | null; requiredTier?: string | null },
  ) {
    super(detail)
    this.name = 'ServiceError'
    this.code = about.code
    this.status = about.status
    this.requestId = about.requestId
    this.requiredTier = about.requiredTier ?? null
  }
}

/** No answer came. */
export const unreachable = () =>
  new ServiceError('The service does not answer. Check the connection, then try again.', {
    code: 'unreachable',
    status: 0,
    requestId: null,
  })

/** Whether another tier would help. */
export const isUpgrade = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.status === 402

/** One error of a GraphQL answer. */
export interface GraphqlProblem {
  message: string
  extensions?: { code?: string; status?: number; required_tier?: string }
}

/** What came was not what the service says: something between it and the browser answered, or it broke. */
export const noAnswer = (status: number): string =>
  `No answer of the service came${status > 0 ? ` (status ${status})` : ''}. Try again in a moment; if it goes on, tell its operator.`

export function toServiceError(problem: GraphqlProblem, response: Response): ServiceError {
  const {
    code = 'internal_error',
    status = response.status,
    required_tier: requiredTier = null,
  } = problem.extensions ?? {}
  return new ServiceError(problem.message, {
    code,
    status,
    requestId: response.headers.get('x-request-id'),
    requiredTier,
  })
}
