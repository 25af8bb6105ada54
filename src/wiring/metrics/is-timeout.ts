import { isFailure } from '../../adapters/resilience/remote-error.ts'

/** Whether a call took too long: of a provider, or by its own deadline. */
export const isTimeout = (error: unknown): boolean =>
  isFailure(error, 'timeout') || (error instanceof Error && error.name === 'TimeoutError')
