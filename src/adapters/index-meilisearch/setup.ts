import { createHash } from 'node:crypto'
import type { Meilisearch, Settings } from 'meilisearch'
import { z } from 'zod'
import { RemoteError } from '../resilience/remote-error.ts'
import { awaitTask, type Connection, enqueuedShape, failure } from './connection.ts'
import { stopField, termFields } from './fields.ts'

/** A Meilisearch key that only allows searching the one index. */
export interface SearchKey {
  uid: string
  key: string
}

const indexShape = z.object({ uid: z.string(), createdAt: z.string() })
const keyShape = z.object({ uid: z.string(), key: z.string().min(1) })
const settingsShape = z.record(z.string(), z.unknown())

/** Making an index waits for everything in Meilisearch's queue. */
const timeoutMs = 60_000

/** An identity of the existing index that differs for an earlier or later index of that name; null if there is none. */
export async function findIndex(connection: Connection, ms: number): Promise<string | null> {
  try {
    const { uid, createdAt } = await connection.call({ ms }, async (client) =>
      indexShape.parse(await client.index(connection.index).getRawInfo()),
    )
    // What documents hold changed since: an index of before is filled again.
    return `${uid} ${createdAt} particles`
  } catch (error) {
    if (isAbsent(error, 'index_not_found')) return null
    throw error
  }
}

/**
 * Creates what is missing: the index, its settings, the key. Several processes may do so at once. `onTask` is called
 * when the engine has accepted a task that it will do later.
 */
export async function setUp(
  connection: Connection,
  onTask: () => void,
): Promise<{ identity: string; searchKey: SearchKey }> {
  const signal = AbortSignal.timeout(timeoutMs)
  const ask = <T>(run: (client: Meilisearch) => Promise<T>) =>
    connection.call({ ms: connection.callMs.other, signal }, run)
  const done = async (enqueue: (client: Meilisearch) => Promise<unknown>) => {
    const { taskUid } = await ask(async (client) => enqueuedShape.parse(await enqueue(client)))
    onTask()
    await awaitTask(connection, taskUid, signal)
  }
  const uid = connection.index

  // Callers wait for this and for the next call: an engine that is down must be detected soon.
  if ((await findIndex(connection, connection.callMs.probe)) === null) {
    await done((client) => client.createIndex(uid, { primaryKey: 'id' })).catch(unless('index_already_exists'))
  }
  const identity = await findIndex(connection, connection.callMs.other)
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

/** The same for every process that uses the index. A UUID of version 4, as Meilisearch requires. */
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

/** Counts are exact up to this number, which is more than an index can hold. */
const everything = 2 ** 31 - 1

/**
 * The index is configured to match whole tokens, filter, count, and order by how many words match, then by Unit. All
 * features that guess at words are off. Only the settings here are set; others stay as they are.
 */
export const wantedSettings = {
  searchableAttributes: [...termFields, stopField],
  filterableAttributes: [
    'created',
    'doc',
    'external',
    'id',
    'length_class',
    'metadata',
    'mime',
    'modality',
    'namespace',
    'order',
    'owner',
    'plane',
    'readers',
    'scope',
    'seq',
    'source',
    'time_end',
    'time_start',
  ],
  sortableAttributes: ['order', 'seq'],
  displayedAttributes: ['bag', 'id', 'length', 'seq', 'unit_id'],
  rankingRules: ['words', 'sort'],
  stopWords: [],
  synonyms: {},
  separatorTokens: [],
  nonSeparatorTokens: [],
  dictionary: [],
  distinctAttribute: null,
  typoTolerance: { enabled: false },
  prefixSearch: 'disabled',
  proximityPrecision: 'byWord',
  facetSearch: false,
  faceting: { maxValuesPerFacet: 200 },
  pagination: { maxTotalHits: everything },
  // After this time it answers with partial results; the service stops waiting long before.
  searchCutoffMs: 60_000,
} satisfies Settings

/** The wanted settings that the index does not have, ready to send; null if it has them all. */
export function differingSettings(actual: Record<string, unknown>): Settings | null {
  const differing = Object.entries(wantedSettings).filter(([name, value]) => !holds(actual[name], value, name))
  return differing.length === 0 ? null : Object.fromEntries(differing)
}

/** Lists without a meaningful order: a server may return them in its own order. */
const unordered: ReadonlySet<string> = new Set(['filterableAttributes', 'sortableAttributes', 'displayedAttributes'])

/** An object must contain what is wanted; it may contain more. */
function holds(actual: unknown, wanted: unknown, name: string): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(actual)) return false
    const text = (list: readonly unknown[]) => JSON.stringify(unordered.has(name) ? [...list].sort() : list)
    return text(actual) === text(wanted)
  }
  if (typeof wanted !== 'object' || wanted === null) return actual === wanted
  if (typeof actual !== 'object' || actual === null) return false
  const members = new Map(Object.entries(actual))
  if (Object.keys(wanted).length === 0) return members.size === 0
  return Object.entries(wanted).every(([key, value]) => holds(members.get(key), value, key))
}
