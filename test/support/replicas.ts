import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStorage, type TestStorage } from './database.ts'
import { environmentOf, type ServerProcess, startServerProcess } from './server-process.ts'

/** Server processes on one PostgreSQL, each with a data directory of its own. */
export interface Replicas {
  storage: TestStorage
  /** Of all of them: no audit log is signed with two keys, no upload is found by one of them only. */
  env: Record<string, string>
  /** Starts the replica with this number; its data directory, and the index in it, stay from start to start. */
  start(number: number, env?: Record<string, string>): Promise<ServerProcess>
  /** Kills what still runs, and removes everything. */
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
