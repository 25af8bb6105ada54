import { S3Client } from '@aws-sdk/client-s3'
import { s3Failure } from './failure.ts'

export interface S3Settings {
  /** Another service than Amazon's; it is addressed by path. */
  endpoint: string | null
  /** Null: where the SDK finds it. */
  region: string | null
  /** Null: those that the SDK finds. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null
}

/** Milliseconds: of one attempt to connect, of silence on a connection, and of a call with all its attempts. */
export interface S3Timeouts {
  connect: number
  idle: number
  call: number
}

/** How often the SDK tries what may go better the next time. */
export const attempts = 3

export interface S3 {
  client: S3Client
  /**
   * Runs an operation with all it reads, within `callMs`. Fails with errors that hold no secret. The signal ends attempts;
   * a body that stops in the middle ends with the race.
   */
  within<T>(operation: string, work: (abortSignal: AbortSignal) => Promise<T>, callMs?: number): Promise<T>
}

export function createS3({ endpoint, region, credentials }: S3Settings, { connect, idle, call }: S3Timeouts): S3 {
  const client = new S3Client({
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    ...(region === null ? {} : { region }),
    ...(credentials === null ? {} : { credentials }),
    maxAttempts: attempts,
    // Silence, not slowness, ends an attempt: what is uploaded may be large.
    requestHandler: { connectionTimeout: connect, socketTimeout: idle },
    // Stores of other makers know no checksums but the signature's.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })

  return {
    client,
    within: async (operation, work, callMs = call) => {
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
    },
  }
}
