import { createHash } from 'node:crypto'
import type { Meilisearch } from 'meilisearch'
import { z } from 'zod'
import { RemoteError } from '../resilience/remote-error.ts'
import { differingSettings } from './settings.ts'
import { awaitTask, enqueuedShape } from './wire/await-tasks.ts'
import { type Connection, callMs } from './wire/connection.ts'
import { failure } from './wire/failure.ts'

/** A key of Meilisearch's that may search the one index and nothing else. */
export interface SearchKey {
  uid: string
  key: string
}

const indexShape = z.object({ uid: z.string(), createdAt: z.string() })
const keyShape = z.object({ uid: z.string(), key: z.string().min(1) })
const settingsShape = z.record(z.string(), z.unknown())

/** Making an index waits behind whatever Meilisearch has in its queue. */
const timeoutMs = 60_000

/** The index as it is there, told apart from one of that name made earlier or later; null where there is none. */
export async function findIndex(connection: Connection, ms: number): Promise<string | null> {
  try {
    const { uid, createdAt } = await connection.call({ ms }, async (client) =>
      indexShape.parse(await client.index(connection.index).getRawInfo()),
    )
    return `${uid} ${createdAt}`
  } catch (error) {
    if (isAbsent(error, 'index_not_found')) return null
    throw error
  }
}

/**
 * Makes what is missing: the index, its settings, the key. Several processes may do so at once. `onTask` is called when
 * the engine has taken something that it will do in its own time.
 */
export async function setUp(
  connection: Connection,
  onTask: () => void,
): Promise<{ identity: string; searchKey: SearchKey }> {
  const signal = AbortSignal.timeout(timeoutMs)
  const ask = <T>(run: (client: Meilisearch) => Promise<T>) => connection.call({ ms: callMs.other, signal }, run)
  const done = async (enqueue: (client: Meilisearch) => Promise<unknown>) => {
    const { taskUid } = await ask(async (client) => enqueuedShape.parse(await enqueue(client)))
    onTask()
    await awaitTask(connection, taskUid, signal)
  }
  const uid = connection.index

  // Whoever waits for this waits for the next one too: an engine that is away must be known soon.
  if ((await findIndex(connection, callMs.probe)) === null) {
    await done((client) => client.createIndex(uid, { primaryKey: 'id' })).catch(unless('index_already_exists'))
  }
  const identity = await findIndex(connection, callMs.other)
  if (identity === null) throw failure('malformed', 'did not make the index')
  const settings = await ask(async (client) => settingsShape.parse(await client.index(uid).getSettings()))
  const differing = differingSettings(settings)
  if (differing !== null) await done((client) => client.index(uid).updateSettings(differing))
  return { identity, searchKey: await searchKeyOf(ask, uid) }
}

type Ask = <T>(run: (client: Meilisearch) => Promise<T>) => Promise<T>

async function searchKeyOf(ask: Ask, index: string): Promise<SearchKey> {
  const uid = keyUid(index)
  const find = () => ask(async (client) => keyShape.parse(await client.getKey(uid)))
  try {
    return await find()
  } catch (error) {
    if (!isAbsent(error, 'api_key_not_found')) throw error
  }
  const description = {
    uid,
    name: `searches ${index}`,
    actions: ['search'],
    indexes: [index],
    expiresAt: null,
  } as const
  await ask((client) =>
    client.createKey({ ...description, actions: [...description.actions], indexes: [index] }),
  ).catch(unless('api_key_already_exists'))
  return find()
}

/** The same for every process that uses the index. In the form of a UUID of version 4, which Meilisearch asks for. */
export function keyUid(index: string): string {
  const hex = createHash('sha256').update(`search key of ${index}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

const isAbsent = (error: unknown, vendorCode: string): boolean =>
  error instanceof RemoteError && error.vendorCode === vendorCode

const unless =
  (vendorCode: string) =>
  (error: unknown): void => {
    if (!isAbsent(error, vendorCode)) throw error
  }
