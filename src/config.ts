import { availableParallelism } from 'node:os'
import { z } from 'zod'
import type { CatalogConfig } from './adapters/catalog/catalog.ts'
import type { SignInConfig } from './adapters/identity/sign-in-config.ts'
import { mostThreads } from './adapters/index-embedded/vectors/row-memory.ts'
import { type AnchorConfig, anchorConfig, anchorSettings } from './settings/anchor.ts'
import { type AuditConfig, auditConfig, auditSettings } from './settings/audit.ts'
import { type BillingConfig, billingConfig, billingSettings } from './settings/billing.ts'
import { inferenceConfig, inferenceSettings } from './settings/inference.ts'
import type { InferenceConfig } from './settings/inference-config.ts'
import { meilisearchSettings, type TextIndexConfig, textIndexConfig } from './settings/meilisearch.ts'
import { pineconeSettings, type VectorIndexConfig, vectorIndexConfig } from './settings/pinecone.ts'
import { type KeyValueConfig, keyValueConfig, redisSettings } from './settings/redis.ts'
import { type ObjectsConfig, objectsConfig, s3Config, s3Settings } from './settings/s3.ts'
import { signInConfig, signInSettings } from './settings/sign-in.ts'

/** One environment variable: how it is read, what it does, and what stands in for it. `.env.example` is made from these. */
const settings = {
  HOST: z.string().default('127.0.0.1').describe('Address to listen on'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8787).describe('Port to listen on; 0 picks a free one'),
  DRAIN_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(600_000)
    .default(0)
    .describe(
      'How long after SIGTERM requests are still taken while /readyz says 503: longer than a load balancer takes to notice',
    ),
  DATA_DIR: z.string().default('./data').describe('Directory of the embedded catalog and of uploaded sources'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('PostgreSQL server to keep the catalog in, instead of the embedded one'),
  MIGRATION_DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe(
      'The same database as another role, which owns the tables: it runs the migrations and gives the role of DATABASE_URL what the service needs',
    ),
  ...redisSettings,
  ...s3Settings,
  BRAND: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,15}$/, 'must be lower-case letters and digits')
    .default('svc')
    .describe('Stands in header names, the session cookie and token prefixes'),
  ALLOWED_ORIGINS: z
    .string()
    .transform((list) => list.split(',').map((origin) => origin.trim()))
    .pipe(z.array(z.url()))
    .optional()
    .describe('Comma-separated origins that browsers may call from'),
  SUPER_ADMIN_TOKEN: z
    .string()
    .min(16, 'must have at least 16 characters')
    .optional()
    .describe('Bearer token of the cross-namespace super-admin; without it there is none'),
  ...signInSettings,
  ...billingSettings,
  ...inferenceSettings,
  ...pineconeSettings,
  ...meilisearchSettings,
  SEED: z.enum(['on', 'off']).default('on').describe('off closes POST /v1/admin/seed to anonymous first runs'),
  INDEX_MEMORY_MB: z.coerce
    .number()
    .min(0)
    .default(2048)
    .describe(
      'Memory of the embedded index; beyond it, namespaces not in use are written out and loaded again when needed',
    ),
  INDEX_THREADS: z.coerce
    .number()
    .int()
    .min(1)
    .max(mostThreads)
    .optional()
    .describe('Threads that search the embedded index; by default as many as there are cores, at most 4'),
  INDEX_SNAPSHOT_MS: z.coerce
    .number()
    .int()
    .min(0)
    .default(5000)
    .describe('How long a namespace must be quiet before the embedded index writes its snapshot'),
  INGEST_WAIT_MS: z.coerce.number().int().min(0).default(2000).describe('How long an ingest waits for indexing'),
  MAX_SOURCE_MB: z.coerce.number().positive().max(100).default(10).describe('Largest raw source that may be uploaded'),
  ...auditSettings,
  ...anchorSettings,
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('warn')
    .describe('Least severe log lines to print'),
}

export interface Config {
  host: string
  port: number
  drainMs: number
  dataDir: string
  catalog: CatalogConfig
  keyValue: KeyValueConfig
  objects: ObjectsConfig
  brand: string
  allowedOrigins: readonly string[]
  superAdminToken: string | undefined
  signIn: SignInConfig
  billing: BillingConfig
  inference: InferenceConfig
  vectorIndex: VectorIndexConfig
  textIndex: TextIndexConfig
  openSeed: boolean
  index: { memoryMb: number; threads: number; snapshotAfterMs: number }
  ingestWaitMs: number
  maxSourceBytes: number
  publicOrigin: string | null
  audit: AuditConfig
  anchor: AnchorConfig
  logLevel: string
}

/** Every problem at once, so that one restart mends them all. Values are left out: they may be secrets. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`the configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

/** Reads settings from an environment; an empty value counts as absent. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const result = z.object(settings).safeParse(given)
  if (!result.success) {
    throw new ConfigError(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`))
  }
  const e = result.data
  const problems: string[] = []
  const signIn = signInConfig(e, problems)
  const s3 = s3Config(e, problems)
  const catalog = catalogConfig(e, problems)
  const billing = billingConfig(e, problems)
  const inference = inferenceConfig(e, problems)
  const vectorIndex = vectorIndexConfig(e, problems)
  const textIndex = textIndexConfig(e, problems)
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze<Config>({
    host: e.HOST,
    port: e.PORT,
    drainMs: e.DRAIN_MS,
    dataDir: e.DATA_DIR,
    catalog,
    keyValue: keyValueConfig(e),
    objects: objectsConfig(e, s3),
    brand: e.BRAND,
    allowedOrigins: e.ALLOWED_ORIGINS ?? [],
    superAdminToken: e.SUPER_ADMIN_TOKEN,
    signIn,
    billing,
    inference,
    vectorIndex,
    textIndex,
    openSeed: e.SEED === 'on',
    index: {
      memoryMb: e.INDEX_MEMORY_MB,
      threads: e.INDEX_THREADS ?? Math.min(4, availableParallelism()),
      snapshotAfterMs: e.INDEX_SNAPSHOT_MS,
    },
    ingestWaitMs: e.INGEST_WAIT_MS,
    maxSourceBytes: Math.floor(e.MAX_SOURCE_MB * 2 ** 20),
    publicOrigin: e.PUBLIC_URL === undefined ? null : new URL(e.PUBLIC_URL).origin,
    audit: auditConfig(e),
    anchor: anchorConfig(e, s3),
    logLevel: e.LOG_LEVEL,
  })
}

type Env = z.infer<z.ZodObject<typeof settings>>

function catalogConfig({ DATABASE_URL: url, MIGRATION_DATABASE_URL: ownerUrl, DATA_DIR }: Env, problems: string[]) {
  if (url !== undefined) return { kind: 'postgresql', url, ownerUrl } satisfies CatalogConfig
  if (ownerUrl !== undefined) problems.push('DATABASE_URL: is needed with MIGRATION_DATABASE_URL')
  return { kind: 'pglite', dataDir: DATA_DIR } satisfies CatalogConfig
}

/** The settings as documentation: name, what it does, default. */
export function describeSettings(): { name: string; description: string; default: string | undefined }[] {
  return Object.entries(settings).map(([name, schema]) => {
    const fallback = schema.safeParse(undefined)
    const value = fallback.success ? fallback.data : undefined
    return { name, description: schema.description ?? '', default: value === undefined ? undefined : String(value) }
  })
}
