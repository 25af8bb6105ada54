import { z } from 'zod'
import type { S3Settings } from '../adapters/s3/client.ts'
import type { S3AnchorConfig } from '../adapters/s3/s3-anchor.ts'
import type { S3ObjectsConfig } from '../adapters/s3/s3-object-store.ts'
import { webAddress } from './kinds.ts'

export type KeyValueConfig = { kind: 'memory' } | { kind: 'redis'; url: string }

/** Where replicas store their short-lived shared state. */
export const redisSettings = {
  REDIS_URL: z
    .string()
    .refine(isAddress, 'must be redis[s]://[[user]:password@]host[:port][/database number]')
    .optional()
    .describe(
      'Address of a Redis server with which replicas share revoked tokens and counts of requests and sign-in attempts; rediss:// uses TLS. Default: the memory of each process',
    ),
}

export function keyValueConfig({ REDIS_URL: url }: { REDIS_URL?: string | undefined }): KeyValueConfig {
  return url === undefined ? { kind: 'memory' } : { kind: 'redis', url }
}

/** Finds errors that the client would only report when it connects. */
function isAddress(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || !/^rediss?:$/.test(url.protocol)) return false
  const { hostname, pathname, username, password } = url
  return hostname !== '' && /^\/?\d{0,5}$/.test(pathname) && [username, password].every(isDecodable)
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Bucket names as allowed by Amazon. */
const bucketName = '[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]'

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

/** A path of null means inside the data directory. */
export type AnchorConfig = { kind: 'directory'; path: string | null } | ({ kind: 's3' } & S3AnchorConfig)

/** A bucket, and a prefix of segments that every tool accepts. */
const s3Address = new RegExp(`^s3://(${bucketName})((?:/[A-Za-z0-9_=-][A-Za-z0-9._=-]*)*)/?$`)

/** Where checkpoints of audit logs are stored, outside of the database. */
export const anchorSettings = {
  AUDIT_ANCHOR: z
    .string()
    .refine(
      (text) => s3Address.test(text) || !/^[a-z][a-z0-9+.-]+:/i.test(text),
      'must be a directory or s3://bucket/prefix, of the characters A-Z a-z 0-9 . _ = -',
    )
    .optional()
    .describe(
      'Where copies of audit checkpoints are stored, outside the database: a directory or s3://bucket/prefix. Default: DATA_DIR/anchors',
    ),
}

/** An anchor in S3 uses the connection settings `s3`. */
export function anchorConfig(env: z.infer<z.ZodObject<typeof anchorSettings>>, s3: S3Settings): AnchorConfig {
  const [, bucket, prefix = ''] = s3Address.exec(env.AUDIT_ANCHOR ?? '') ?? []
  if (bucket === undefined) return { kind: 'directory', path: env.AUDIT_ANCHOR ?? null }
  return { kind: 's3', bucket, prefix: prefix.slice(1), ...s3 }
}
