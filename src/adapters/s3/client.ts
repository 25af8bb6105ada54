import { S3Client } from '@aws-sdk/client-s3'
import type { Telemetry } from '../../model/telemetry.ts'
import { codeOfStatus, failuresOf, type RemoteError, wasSent } from '../resilience/remote-error.ts'

export interface S3Settings {
  /** A service other than Amazon's; it is addressed by path. */
  endpoint: string | null
  /** Null: the SDK determines it. */
  region: string | null
  /** Null: the SDK finds them. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null
}

/** Milliseconds: for one attempt to connect, for silence on a connection, and for a call with all its attempts. */
export interface S3Timeouts {
  connect: number
  idle: number
  call: number
}

/** How often the SDK tries a call whose failure may be temporary. */
export const attempts = 3

export interface S3 {
  client: S3Client
  /**
   * Runs an operation and all its reads within `callMs`. Its errors contain no secret. The signal ends attempts; a body
   * that stops in the middle fails at the timeout.
   */
  within<T>(operation: string, work: (abortSignal: AbortSignal) => Promise<T>, callMs?: number): Promise<T>
}

export function createS3(
  { endpoint, region, credentials }: S3Settings,
  { connect, idle, call }: S3Timeouts,
  { vendor }: Telemetry,
): S3 {
  const client = new S3Client({
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    ...(region === null ? {} : { region }),
    ...(credentials === null ? {} : { credentials }),
    maxAttempts: attempts,
    // Otherwise it writes warnings to the console.
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    // Silence, not slowness, ends an attempt: uploads may be large.
    requestHandler: { connectionTimeout: connect, socketTimeout: idle },
    // Other vendors' stores support no checksum except the signature's.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })

  const within: S3['within'] = async (operation, work, callMs = call) => {
    const abortSignal = AbortSignal.timeout(callMs)
    const { promise: expired, reject } = Promise.withResolvers<never>()
    const expire = () => reject(abortSignal.reason)
    abortSignal.addEventListener('abort', expire)
    try {
      return await Promise.race([work(abortSignal), expired])
    } catch (error) {
      throw s3Failure(operation, error)
    } finally {
      abortSignal.removeEventListener('abort', expire)
    }
  }

  return {
    client,
    within: vendor
      ? (operation, ...given) => vendor({ system: 's3', operation }, () => within(operation, ...given))
      : within,
  }
}

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
function s3Failure(operation: string, error: unknown): RemoteError {
  const status = statusOf(error)
  if (!(error instanceof Error)) return failure('malformed', `${operation} failed`)
  if (status !== null) {
    return failure(codeOfStatus(status), `${operation} failed: ${status} ${error.name}`, { httpStatus: status })
  }
  const code = error.name === 'TimeoutError' ? 'timeout' : 'unreachable'
  return failure(code, `${operation} failed: ${error.message || error.name}`, { wasSent: wasSent(error) })
}
