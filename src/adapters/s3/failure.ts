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

/** An error of ours: what the store or the SDK put into theirs, such as the request as it was signed, is left behind. */
export function s3Failure(operation: string, error: unknown): Error {
  const status = statusOf(error)
  if (!(error instanceof Error)) return new Error(`S3 ${operation} failed`)
  if (status !== null) return new Error(`S3 ${operation} failed: ${status} ${error.name}`)
  return new Error(`S3 ${operation} failed: ${error.message || error.name}`)
}
