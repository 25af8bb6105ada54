import { z } from 'zod'
import type { S3Settings } from '../adapters/s3/client.ts'
import type { S3AnchorConfig } from '../adapters/s3/s3-anchor.ts'
import { bucketName } from './s3.ts'

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
