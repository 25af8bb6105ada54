import { z } from 'zod'
import { decimal } from './kinds.ts'

/** An Ed25519 seed (RFC 8032) in base64 or base64url; null for anything else. */
function seedOf(text: string): Buffer | null {
  const bytes = Buffer.from(text.trim(), 'base64')
  return bytes.length === 32 ? bytes : null
}

const seedsOf = (text: string) => text.split(',').map(seedOf)

/** The settings of the audit log. */
export const auditSettings = {
  AUDIT_READS: z
    .enum(['async', 'sync', 'off'])
    .default('async')
    .describe(
      'When searches and reads of Units are written to the audit log: async (within 100 ms), sync (before the answer) or off',
    ),
  AUDIT_QUERIES: z
    .enum(['hash', 'text'])
    .default('hash')
    .describe('What the audit log stores of a query: hash (a keyed hash) or text'),
  AUDIT_QUERY_SECRET: z
    .string()
    .min(32, 'must have at least 32 characters')
    .optional()
    .describe(
      'Secret for the hashes of queries. Default: generated in DATA_DIR/secrets. With DATABASE_URL it has no default; without it, the audit log stores nothing of a query',
    ),
  AUDIT_SIGNING_KEY: z
    .string()
    .refine((text) => !seedsOf(text).includes(null), 'must be 32 bytes in base64, or several such with commas between')
    .optional()
    .describe(
      'Ed25519 private key that signs audit checkpoints: 32 random bytes in base64, the same on all replicas. Former keys follow, separated by commas. Default: generated in DATA_DIR/secrets',
    ),
  AUDIT_CHECKPOINT_SECONDS: decimal(0)
    .default(60)
    .describe(
      'Seconds between checkpoints of audit logs that have new rows. 0 makes checkpoints only on request and at shutdown',
    ),
}

export interface AuditConfig {
  reads: 'async' | 'sync' | 'off'
  /** A secret of null is stored in the data directory. */
  queries: { kind: 'text' } | { kind: 'hash'; secret: string | null } | { kind: 'none' }
  /** Seeds of Ed25519 keys, the signing key first; null for a key that is stored in the data directory. */
  signingSeeds: readonly Buffer[] | null
  checkpointMs: number
}

type AuditEnv = z.infer<z.ZodObject<typeof auditSettings>> & { DATABASE_URL?: string | undefined }

export const auditConfig = (env: AuditEnv): AuditConfig => ({
  reads: env.AUDIT_READS,
  queries: queryRecording(env),
  signingSeeds: env.AUDIT_SIGNING_KEY ? seedsOf(env.AUDIT_SIGNING_KEY).filter((seed) => seed !== null) : null,
  checkpointMs: env.AUDIT_CHECKPOINT_SECONDS * 1000,
})

/** With a data directory, each replica would have its own secret, and equal queries would have different hashes. */
function queryRecording(env: AuditEnv): AuditConfig['queries'] {
  const { AUDIT_QUERIES, AUDIT_QUERY_SECRET: secret = null, DATABASE_URL } = env
  if (AUDIT_QUERIES === 'text') return { kind: 'text' }
  return secret === null && DATABASE_URL !== undefined ? { kind: 'none' } : { kind: 'hash', secret }
}
