import { join } from 'node:path'
import type { PrismaCatalog } from '../adapters/catalog/catalog.ts'
import { createConsoleSessions } from '../adapters/identity/console-sessions.ts'
import { noSessions } from '../adapters/identity/no-sessions.ts'
import { keptSecret } from '../adapters/identity/secret.ts'
import { createSharedCounter } from '../adapters/identity/shared-counter.ts'
import { createMemoryKeyValue } from '../adapters/kv/memory-key-value.ts'
import { createFileObjectStore, removePartials } from '../adapters/objects-fs/file-object-store.ts'
import type { Config } from '../config.ts'
import type { Log } from '../model/log.ts'
import type { ConsoleSessions } from '../ports/access/sessions.ts'
import type { Catalog } from '../ports/catalog/catalog.ts'
import type { KeyValue } from '../ports/stores/key-value.ts'
import type { ObjectStore } from '../ports/stores/object-store.ts'

export async function keyValueOf({ keyValue, brand }: Config, log: Log): Promise<KeyValue> {
  if (keyValue.kind === 'memory') return createMemoryKeyValue()
  const { createRedisKeyValue } = await import('../adapters/kv/redis-key-value.ts')
  return createRedisKeyValue({ url: keyValue.url, prefix: `${brand}:` }, log)
}

/** Of several processes on one folder, another one may be writing. */
const quietMs = 3_600_000

export async function objectsOf({ objects, dataDir, catalog }: Config): Promise<ObjectStore> {
  if (objects.kind === 'filesystem') {
    const folder = join(dataDir, 'objects')
    await removePartials(folder, catalog.kind === 'pglite' ? 0 : quietMs)
    return createFileObjectStore(folder)
  }
  // Loaded only where it is needed: Amazon's SDK takes 30 MB of memory.
  const { createS3ObjectStore } = await import('../adapters/s3/s3-object-store.ts')
  return createS3ObjectStore(objects, { spool: join(dataDir, 'spool') })
}

/** Sign-in stores its tables in the catalog's database, so the catalog must have one. */
export async function sessionsOf(
  config: Config,
  catalog: Catalog | PrismaCatalog,
  keyValue: KeyValue,
  log: Log,
): Promise<ConsoleSessions> {
  const { signIn, brand, allowedOrigins, dataDir } = config
  if (signIn.kind === 'off' || !('client' in catalog)) return noSessions
  const secret = signIn.secret ?? (await keptSecret(join(dataDir, 'secrets'), 'auth-secret'))
  const attempts = config.keyValue.kind === 'memory' ? null : createSharedCounter(keyValue, createMemoryKeyValue())
  const sessions = createConsoleSessions(catalog.client, { brand, secret, signIn, allowedOrigins, attempts, log })
  return {
    ...sessions,
    handle: async (request, remoteAddress) => {
      if (request.method === 'POST') catalog.requireSpace()
      return sessions.handle(request, remoteAddress)
    },
  }
}
