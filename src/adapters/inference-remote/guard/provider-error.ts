/**
 * What went wrong with a provider. `busy` (429) and `broken` (5xx) may pass, as may `unreachable`; `refused` (any other
 * 4xx) and `malformed` (an answer of no known shape) will not; `paused`: it failed too often lately to be asked.
 */
export type Failure = 'timeout' | 'unreachable' | 'busy' | 'broken' | 'refused' | 'malformed' | 'paused'

/** Says nothing of what was sent or answered: both may hold texts, and requests hold keys. */
export class ProviderError extends Error {
  readonly code: Failure
  /** Of the HTTP answer. (An SDK takes meaning from a property named `status`.) */
  readonly httpStatus: number | null
  /** How long the provider asks to be left alone. */
  readonly retryAfterMs: number | null

  constructor(code: Failure, problem: string, httpStatus: number | null = null, retryAfterMs: number | null = null) {
    super(problem)
    this.name = 'ProviderError'
    this.code = code
    this.httpStatus = httpStatus
    this.retryAfterMs = retryAfterMs
  }
}

export const malformed = (problem: string) => new ProviderError('malformed', problem)
