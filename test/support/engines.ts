import type { BootOptions } from './boot.ts'
import { type LocalMeilisearch, startMeilisearch } from './meilisearch/server.ts'
import { meilisearchOn } from './meilisearch/to-test.ts'
import { type LocalPinecone, startLocalPinecone } from './pinecone/local-pinecone.ts'
import { pineconeOn } from './pinecone/settings.ts'
import { type RedisServer, startRedisServer } from './redis/server.ts'
import { type S3Server, startS3Server } from './s3/server.ts'

/** What the scale-out profile keeps outside of its process, but for the catalog. */
export interface Engines extends AsyncDisposable {
  pinecone: LocalPinecone
  meilisearch: LocalMeilisearch
  s3: S3Server
  redis: RedisServer
  /** What boots a service on all of them. */
  config: NonNullable<BootOptions['config']>
  /** What was wrong with requests and answers, by the vendors' own documents where they lie beside the project. */
  breaches(): string[]
}

/** All engines on this machine, as local servers of their vendors' APIs. Reads of Pinecone lag behind writes. */
export async function startEngines(): Promise<Engines> {
  const [pinecone, meilisearch] = [await startLocalPinecone(), await startMeilisearch()]
  const [s3, redis] = [await startS3Server(), await startRedisServer()]
  pinecone.lagMs = 30
  const { endpoint, region, bucket, credentials } = s3
  return {
    ...{ pinecone, meilisearch, s3, redis },
    config: {
      vectorIndex: pineconeOn(pinecone),
      textIndex: meilisearchOn(meilisearch),
      objects: { kind: 's3', endpoint, region, bucket, credentials },
      keyValue: { kind: 'redis', url: redis.url },
    },
    breaches: () => [...pinecone.breaches, ...meilisearch.violations],
    [Symbol.asyncDispose]: async () => {
      const stopped = [pinecone[Symbol.asyncDispose](), meilisearch[Symbol.asyncDispose](), s3.close(), redis.close()]
      await Promise.all(stopped)
    },
  }
}
