import { availableParallelism } from 'node:os'
import { z } from 'zod'
import type { CatalogConfig } from './adapters/catalog/connection/connect.ts'
import { defaultMemoryMb } from './adapters/catalog/memory/memory.ts'
import { maxThreads } from './adapters/index-embedded/vectors/row-memory.ts'
import { auditConfig, auditSettings } from './settings/audit.ts'
import { billingConfig, billingSettings } from './settings/billing.ts'
import { meilisearchSettings, pineconeSettings, textIndexConfig, vectorIndexConfig } from './settings/indexes.ts'
import { inferenceConfig, inferenceSettings, modelsDirOf } from './settings/inference.ts'
import { address, decimal, integer, origins } from './settings/kinds.ts'
import {
  graphqlConfig,
  graphqlSettings,
  parsingConfig,
  parsingSettings,
  requestLimitSettings,
  requestLimitsConfig,
  sweepingConfig,
  sweepingSettings,
} from './settings/limits.ts'
import { mailConfig } from './settings/mail.ts'
import { readSettings, unknownSettings } from './settings/read-settings.ts'
import { signInConfig, signInSettings } from './settings/sign-in.ts'
import {
  anchorConfig,
  anchorSettings,
  keyValueConfig,
  objectsConfig,
  redisSettings,
  s3Config,
  s3Settings,
} from './settings/stores.ts'
import { metricsConfig, metricsSettings, traceSettings, tracesConfig } from './settings/telemetry.ts'

const databaseAddress = address(['postgres', 'postgresql'], 'postgresql://user:password@host:5432/database')

/** One environment variable: its parser, its description and its default. `.env.example` is generated from these. */
const settings = {
  HOST: z.string().default('127.0.0.1').describe('Address to listen on'),
  PORT: integer(0, 65_535).default(8787).describe('Port to listen on. 0 selects a free port'),
  DRAIN_MS: integer(0, 600_000)
    .default(0)
    .describe(
      'Milliseconds after SIGTERM in which requests are still accepted while /readyz answers 503. Set it longer than the load balancer needs to notice',
    ),
  DATA_DIR: z
    .string()
    .default('./data')
    .describe('Directory of the embedded catalog, of generated secrets and of uploaded sources'),
  DATABASE_URL: databaseAddress
    .optional()
    .describe('Address of the PostgreSQL database of the catalog. Default: an embedded database in DATA_DIR'),
  MIGRATION_DATABASE_URL: databaseAddress
    .optional()
    .describe(
      'Address of the same database for the role that owns the tables. It runs the migrations and grants the role of DATABASE_URL its permissions',
    ),
  ...redisSettings,
  ...s3Settings,
  BRAND: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,15}$/, 'must be lower-case letters and digits')
    .default('svc')
    .describe('Name used in header names, the session cookie and token prefixes'),
  BRAND_NAME: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(64, 'must be at most 64 characters')
    .default('Multimodal Retrieval')
    .describe('Name of the product in the console'),
  ALLOWED_ORIGINS: origins
    .optional()
    .describe('Comma-separated origins of other web pages that may call the API from a browser'),
  SUPER_ADMIN_TOKEN: z
    .string()
    .min(16, 'must have at least 16 characters')
    .optional()
    .describe('Bearer token of the super-admin, who may enter every namespace. Without it, there is no super-admin'),
  ...signInSettings,
  ...billingSettings,
  ...inferenceSettings,
  ...pineconeSettings,
  ...meilisearchSettings,
  SEED: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'Whether the first POST /v1/admin/seed, which makes the demo data, works without a credential: on or off',
    ),
  CONSOLE: z.enum(['on', 'off']).default('on').describe('Whether browsers get the console: on or off'),
  INDEX_MEMORY_MB: decimal(0)
    .default(2048)
    .describe(
      'Maximum memory of the embedded index in MB. Above it, unused namespaces are written to disk and loaded again when needed',
    ),
  CATALOG_MEMORY_MB: decimal(0)
    .optional()
    .describe(
      `Maximum memory in MB for a cache of the catalog: Units that searches read, and of the embedded database also callers and permissions. 0 turns it off. Default: ${defaultMemoryMb}`,
    ),
  INDEX_THREADS: integer(1, maxThreads)
    .optional()
    .describe('Threads that search the embedded index. Default: one per core, at most 4'),
  INDEX_SNAPSHOT_MS: integer(0)
    .default(5000)
    .describe('Milliseconds without writes after which the embedded index writes a snapshot of a namespace'),
  INGEST_WAIT_MS: integer(0)
    .default(2000)
    .describe('Milliseconds that an ingest waits for the indexes before it answers'),
  AFTER_SEQ_WAIT_MS: integer(0)
    .default(5000)
    .describe('Milliseconds that a read with after_seq waits for the indexes before it fails'),
  MAX_SOURCE_MB: decimal(0.001, 2047)
    .default(512)
    .describe('Maximum size in MB of a source that an upload link takes. createSource takes at most 10'),
  ...parsingSettings,
  ...graphqlSettings,
  ...requestLimitSettings,
  HTTP_BUFFER_MB: integer(16, 65_536)
    .default(256)
    .describe(
      'Maximum memory in MB of bodies that are read or in work and of answers that are not read yet. A caller may have a quarter of it. At most a sixteenth of the heap',
    ),
  ...metricsSettings,
  ...traceSettings,
  ...sweepingSettings,
  ...auditSettings,
  ...anchorSettings,
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .describe('Minimum severity of log lines. info logs one line per request'),
}

/** Reads settings from an environment. Throws a `ConfigError` with everything that is wrong. */
export const readConfig = (env: Environment): Config => readSettings(settings, env, configOf)

/** Names in the environment that look like settings but are not read. */
export const unreadSettings = (env: Environment) => unknownSettings(env, Object.keys(settings))

/** How long a request waits for an earlier one with its Idempotency-Key: openapi.json names it. */
const writeWaitMs: number = 30_000

export type Config = ReturnType<typeof configOf>

function configOf(e: Env, problems: string[]) {
  const s3 = s3Config(e, problems)
  return Object.freeze({
    host: e.HOST,
    port: e.PORT,
    drainMs: e.DRAIN_MS,
    dataDir: e.DATA_DIR,
    catalog: catalogConfig(e, problems),
    keyValue: keyValueConfig(e),
    objects: objectsConfig(e, s3),
    brand: e.BRAND,
    brandName: e.BRAND_NAME,
    allowedOrigins: e.ALLOWED_ORIGINS ?? [],
    superAdminToken: e.SUPER_ADMIN_TOKEN,
    signIn: signInConfig(e, problems),
    mail: mailConfig(e, problems),
    billing: billingConfig(e, problems),
    inference: inferenceConfig(e, problems),
    modelsDir: modelsDirOf(e),
    vectorIndex: vectorIndexConfig(e, problems),
    textIndex: textIndexConfig(e, problems),
    openSeed: e.SEED === 'on',
    console: e.CONSOLE === 'on',
    index: {
      memoryMb: e.INDEX_MEMORY_MB,
      threads: e.INDEX_THREADS ?? Math.min(4, availableParallelism()),
      snapshotAfterMs: e.INDEX_SNAPSHOT_MS,
    },
    ingestWaitMs: e.INGEST_WAIT_MS,
    writeWaitMs,
    afterSeqWaitMs: e.AFTER_SEQ_WAIT_MS,
    maxSourceBytes: Math.floor(e.MAX_SOURCE_MB * 2 ** 20),
    parsing: parsingConfig(e),
    graphql: graphqlConfig(e),
    requestLimits: requestLimitsConfig(e),
    httpBufferBytes: e.HTTP_BUFFER_MB * 2 ** 20,
    metrics: metricsConfig(e, problems),
    traces: tracesConfig(e),
    publicOrigin: e.PUBLIC_URL ?? null,
    sweeping: sweepingConfig(e),
    audit: auditConfig(e),
    anchor: anchorConfig(e, s3),
    logLevel: e.LOG_LEVEL,
  })
}

type Env = z.infer<z.ZodObject<typeof settings>>
type Environment = Readonly<Record<string, string | undefined>>

function catalogConfig(
  { DATABASE_URL: url, MIGRATION_DATABASE_URL: ownerUrl, DATA_DIR, CATALOG_MEMORY_MB }: Env,
  problems: string[],
): CatalogConfig {
  const memory = CATALOG_MEMORY_MB === undefined ? {} : { memoryBytes: Math.floor(CATALOG_MEMORY_MB * 2 ** 20) }
  if (url !== undefined) return { kind: 'postgresql', url, ownerUrl, ...memory }
  if (ownerUrl !== undefined) problems.push('DATABASE_URL: is needed with MIGRATION_DATABASE_URL')
  return { kind: 'pglite', dataDir: DATA_DIR, ...memory }
}

/** The settings as documentation: name, what it does, default. */
export function describeSettings(): { name: string; description: string; default: string | undefined }[] {
  return Object.entries(settings).map(([name, schema]) => {
    const fallback = schema.safeParse(undefined)
    const value = fallback.success ? fallback.data : undefined
    return { name, description: schema.description ?? '', default: value === undefined ? undefined : String(value) }
  })
}
