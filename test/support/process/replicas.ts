import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStorage, type TestStorage } from '../database/database.ts'
import { environmentOf, type ServerProcess, startServerProcess } from './server-process.ts'

/** Server processes on one PostgreSQL, each with its own data directory. */
export interface Replicas {
  storage: TestStorage
  /** Settings of all replicas, so that they sign audit logs with one key and all find each upload. */
  env: Record<string, string>
  /** Starts the replica with this number. Its data directory, with its index, is kept between starts. */
  start(number: number, env?: Record<string, string>): Promise<ServerProcess>
  /** Kills all running replicas, and removes all data. */
  [Symbol.asyncDispose](): Promise<void>
}

export const replicaAdmin = 'super-admin-of-the-replicas'

export async function createReplicas(env: Record<string, string> = {}): Promise<Replicas> {
  const storage = await createStorage()
  if (storage.catalog.kind !== 'postgresql') throw new Error('replicas need TEST_DATABASE_URL')
  const shared = await mkdtemp(join(tmpdir(), 'replicas-'))
  const settings = {
    SUPER_ADMIN_TOKEN: replicaAdmin,
    AUDIT_SIGNING_KEY: randomBytes(32).toString('base64'),
    AUDIT_QUERY_SECRET: randomBytes(32).toString('base64'),
    AUDIT_ANCHOR: join(shared, 'anchors'),
    ...env,
  }
  const running = new Set<ServerProcess>()
  return {
    storage,
    env: settings,
    start: async (number, more = {}) => {
      const dataDir = join(shared, `replica-${number}`)
      const replica = await startServerProcess({ ...environmentOf({ ...storage, dataDir }), ...settings, ...more })
      running.add(replica)
      void replica.exited.then(() => running.delete(replica))
      return replica
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...running].map((replica) => replica[Symbol.asyncDispose]()))
      await rm(shared, { recursive: true, force: true })
      await storage.remove()
    },
  }
}
