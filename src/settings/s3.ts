import { z } from 'zod'
import type { S3Settings } from '../adapters/s3/client.ts'
import type { S3ObjectsConfig } from '../adapters/s3/s3-object-store.ts'
import { webAddress } from './kinds.ts'

/** Bucket names as allowed by Amazon. */
export const bucketName = '[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]'

export type ObjectsConfig = { kind: 'filesystem' } | ({ kind: 's3' } & S3ObjectsConfig)

/** The address and credentials of S3. Missing values come from the default sources of Amazon's SDK. */
export const s3Settings = {
  S3_BUCKET: z
    .string()
    .regex(new RegExp(`^${bucketName}$`), 'must be the name of a bucket')
    .optional()
    .describe('S3 bucket for uploaded sources. It must exist. Default: files in DATA_DIR'),
  S3_ENDPOINT: webAddress
    .optional()
    .describe('Address of an S3-compatible store, with the bucket in the path. Default: Amazon S3'),
  S3_REGION: z
    .string()
    .optional()
    .describe('Region of the store. Default: us-east-1 with S3_ENDPOINT, otherwise the region that the AWS SDK finds'),
  S3_ACCESS_KEY_ID: z
    .string()
    .optional()
    .describe('Access key id of the store. Default: the credentials that the AWS SDK finds'),
  S3_SECRET_ACCESS_KEY: z.string().optional().describe('Secret for S3_ACCESS_KEY_ID'),
}

/** Reports settings that contradict each other in `problems`. */
export function s3Config(env: z.infer<z.ZodObject<typeof s3Settings>>, problems: string[]): S3Settings {
  const { S3_ENDPOINT: endpoint, S3_REGION: region } = env
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (Boolean(accessKeyId) !== Boolean(secretAccessKey)) {
    problems.push('S3_ACCESS_KEY_ID: S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY go together')
  }
  return {
    endpoint: endpoint ?? null,
    region: region ?? (endpoint === undefined ? null : 'us-east-1'),
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null,
  }
}

/** Where uploaded sources are stored. */
export function objectsConfig(
  { S3_BUCKET: bucket }: { S3_BUCKET?: string | undefined },
  s3: S3Settings,
): ObjectsConfig {
  return bucket === undefined ? { kind: 'filesystem' } : { kind: 's3', bucket, ...s3 }
}
