import { codeOfStatus, failuresOf, type RemoteError, wasSent } from '../resilience/remote-error.ts'

/** What the SDK adds to an error when the store has answered. */
interface Answered {
  $metadata: { httpStatusCode: number }
}

const isAnswered = (error: object): error is Answered =>
  '$metadata' in error &&
  typeof error.$metadata === 'object' &&
  error.$metadata !== null &&
  'httpStatusCode' in error.$metadata &&
  typeof error.$metadata.httpStatusCode === 'number'

/** The HTTP status of the store's answer; null if it did not answer. */
export const statusOf = (error: unknown): number | null =>
  error instanceof Error && isAnswered(error) ? error.$metadata.httpStatusCode : null

const failure = failuresOf('S3')

/** Leaves out other details of the store's or the SDK's errors, such as the signed request. */
export function s3Failure(operation: string, error: unknown): RemoteError {
  const status = statusOf(error)
  if (!(error instanceof Error)) return failure('malformed', `${operation} failed`)
  if (status !== null) {
    return failure(codeOfStatus(status), `${operation} failed: ${status} ${error.name}`, { httpStatus: status })
  }
  const code = error.name === 'TimeoutError' ? 'timeout' : 'unreachable'
  return failure(code, `${operation} failed: ${error.message || error.name}`, { wasSent: wasSent(error) })
}
