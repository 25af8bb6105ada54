import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { s3Failure, statusOf } from './failure.ts'

export interface S3Settings {
  /** Another service than Amazon's; it is addressed by path. */
  endpoint: string | null
  /** Null: where the SDK finds it. */
  region: string | null
  /** Null: those that the SDK finds. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null
}

/** Milliseconds: of one attempt to connect, of one attempt as a whole, and of a call with all its attempts. */
export interface S3Patience {
  connect: number
  attempt: number
  call: number
}

const attempts = 3
/** S3 answers 409 when two write one key at the same moment; the SDK does not try again by itself. */
const conflict = 409
const exists = 412

interface Page {
  keys: string[]
  /** What keys share up to the next `/`, where that was asked for. */
  groups: string[]
  /** Where the next page begins; undefined after the last. */
  token: string | undefined
}

export interface ListQuery {
  prefix: string
  delimiter?: '/'
  /** Keys behind this one only. */
  after?: string | undefined
  token?: string | undefined
  most?: number
}

/** The few operations that an anchor needs; fails with errors that hold no secret, within the time that `patience` gives. */
export interface Store {
  /** Leaves what is there already. */
  putNew(key: string, text: string): Promise<void>
  get(key: string): Promise<string>
  /** Keys in their order, a page of 1000 at most. */
  list(query: ListQuery): Promise<Page>
}

export function createStore(bucket: string, settings: S3Settings, patience: S3Patience): Store {
  const { endpoint, region, credentials } = settings
  const client = new S3Client({
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    ...(region === null ? {} : { region }),
    ...(credentials === null ? {} : { credentials }),
    maxAttempts: attempts,
    requestHandler: {
      connectionTimeout: patience.connect,
      requestTimeout: patience.attempt,
      throwOnRequestTimeout: true,
    },
    // Stores of other makers know no checksums but the signature's.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })

  /** The signal ends attempts; a body that stops in the middle ends with the race. */
  async function within<T>(operation: string, work: (abortSignal: AbortSignal) => Promise<T>): Promise<T> {
    const abortSignal = AbortSignal.timeout(patience.call)
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
    putNew: (key, text) =>
      within('PutObject', async (abortSignal) => {
        for (let i = 1; ; i++) {
          const put = new PutObjectCommand({ Bucket: bucket, Key: key, Body: text, IfNoneMatch: '*' })
          const status = await client.send(put, { abortSignal }).then(() => null, rethrowBut([conflict, exists]))
          if (status !== conflict) return
          if (i === attempts) throw new Error('others write the same key')
        }
      }),

    get: (key) =>
      within('GetObject', async (abortSignal) => {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }), { abortSignal })
        return (await Body?.transformToString()) ?? ''
      }),

    list: ({ prefix, delimiter, after, token, most }) =>
      within('ListObjectsV2', async (abortSignal) => {
        const range = {
          Prefix: prefix,
          Delimiter: delimiter,
          StartAfter: after,
          ContinuationToken: token,
          MaxKeys: most,
        }
        const found = await client.send(new ListObjectsV2Command({ Bucket: bucket, ...range }), { abortSignal })
        return {
          keys: (found.Contents ?? []).flatMap(({ Key }) => Key ?? []),
          groups: (found.CommonPrefixes ?? []).flatMap(({ Prefix }) => Prefix ?? []),
          token: found.IsTruncated ? found.NextContinuationToken : undefined,
        }
      }),
  }
}

const rethrowBut =
  (statuses: readonly number[]) =>
  (error: unknown): number => {
    const status = statusOf(error)
    if (status === null || !statuses.includes(status)) throw error
    return status
  }
