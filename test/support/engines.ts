import { readConfig } from '../../src/config.ts'
import type { BootOptions } from './boot.ts'
import { type LocalMeilisearch, startMeilisearch } from './meilisearch/server.ts'
import { type LocalPinecone, startLocalPinecone } from './pinecone/local-pinecone.ts'
import { type RedisServer, startRedisServer } from './redis/server.ts'
import { type S3Server, startS3Server } from './s3/server.ts'

/** The engines that the scale-out profile keeps outside of its process, without the catalog. */
export interface Engines extends AsyncDisposable {
  pinecone: LocalPinecone
  meilisearch: LocalMeilisearch
  s3: S3Server
  redis: RedisServer
  /** The settings that make a service use all of them. */
  environment: Record<string, string>
  /** The same settings, parsed. */
  config: NonNullable<BootOptions['config']>
  /** Errors in requests and answers, by the vendors' API documents if those are available next to the project. */
  breaches(): string[]
}

/** All engines on this machine, as local servers of the vendors' APIs. Pinecone reads lag behind writes. */
export async function startEngines(): Promise<Engines> {
  const [pinecone, meilisearch] = [await startLocalPinecone(), await startMeilisearch()]
  const [s3, redis] = [await startS3Server(), await startRedisServer()]
  pinecone.lagMs = 30
  const environment = {
    PINECONE_API_KEY: pinecone.apiKey,
    PINECONE_CONTROLLER_HOST: pinecone.url,
    MEILI_URL: meilisearch.url,
    MEILI_KEY: meilisearch.adminKey,
    S3_BUCKET: s3.bucket,
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_ACCESS_KEY_ID: s3.credentials.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
    REDIS_URL: redis.url,
  }
  const { vectorIndex, textIndex, objects, keyValue } = readConfig(environment)
  return {
    ...{ pinecone, meilisearch, s3, redis, environment },
    config: { vectorIndex, textIndex, objects, keyValue },
    breaches: () => [...pinecone.breaches, ...meilisearch.violations],
    [Symbol.asyncDispose]: async () => {
      const stopped = [pinecone[Symbol.asyncDispose](), meilisearch[Symbol.asyncDispose](), s3.close(), redis.close()]
      await Promise.all(stopped)
    },
  }
}
