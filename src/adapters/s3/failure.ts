import { codeOfStatus, failuresOf, type RemoteError, wasSent } from '../resilience/remote-error.ts'

/** What the SDK puts beside an error when the store has answered. */
interface Answered {
  $metadata: { httpStatusCode: number }
}

const isAnswered = (error: object): error is Answered =>
  '$metadata' in error &&
  typeof error.$metadata === 'object' &&
  error.$metadata !== null &&
  'httpStatusCode' in error.$metadata &&
  typeof error.$metadata.httpStatusCode === 'number'

/** The HTTP status that the store answered with; null when it did not answer. */
export const statusOf = (error: unknown): number | null =>
  error instanceof Error && isAnswered(error) ? error.$metadata.httpStatusCode : null

const failure = failuresOf('S3')

/** What the store or the SDK put into their errors, such as the request as it was signed, is left behind. */
export function s3Failure(operation: string, error: unknown): RemoteError {
  const status = statusOf(error)
  if (!(error instanceof Error)) return failure('malformed', `${operation} failed`)
  if (status !== null) {
    return failure(codeOfStatus(status), `${operation} failed: ${status} ${error.name}`, { httpStatus: status })
  }
  const code = error.name === 'TimeoutError' ? 'timeout' : 'unreachable'
  return failure(code, `${operation} failed: ${error.message || error.name}`, { wasSent: wasSent(error) })
}
