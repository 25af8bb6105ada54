import { runsOf } from '../../../async/json.ts'
import type { Log } from '../../../model/log.ts'
import type { Plane } from '../../../model/unit.ts'
import type { Candidate, IndexChange, Located, PlaneContent } from '../../../ports/indexes/index-filter.ts'
import type { Sent } from '../shard/fields-of-units.ts'
import { type Calls, type Place, type Published, seqOf } from './messages.ts'
import { ThreadPool } from './pool.ts'
import { Released } from './released.ts'
import { Resident } from './resident.ts'

export interface HostOptions {
  /** Where snapshots are kept. */
  directory: string
  threads: number
  /** Above this, namespaces are evicted, the least recently used first; 0 keeps none in memory that is not in use. */
  memoryBytes: number
  /**
   * How long a namespace must be quiet before its snapshot is written. One that is never quiet waits `maxPostponements`
   * times as long.
   */
  quietMs: number
  log: Log
}

/** How many quiet periods a snapshot may be postponed. */
const maxPostponements = 8

/**
 * How many memories that nothing uses the main thread may still hold. A process has addresses for some 14,000, and collecting all
 * garbage there takes a tenth of a second.
 */
const releasedMemories = 1000

/** More than a shard has Units. */
const perShard = 2 ** 32

function sent(among: readonly Located[], { shardId, first }: Resident['latest']): Sent {
  const isThere = among.every(({ at = -1 }) => at >= first && at < first + perShard)
  return {
    unitIds: among.map(({ unitId }) => unitId).join('\0'),
    shardId: isThere ? shardId : '',
    // The conversion takes off `first`.
    units: Uint32Array.from(among, ({ at = 0 }) => at),
  }
}

/** How much is sent to a thread at once. Bytes, about. */
const runSize = 2 ** 19

/** Keeps namespaces in memory while in use: loads on first use, snapshots when quiet, evicts if memory is short. */
export class Host {
  readonly #options: HostOptions
  #pool: ThreadPool
  readonly #released = new Released(releasedMemories)
  // In order of last use.
  readonly #residents = new Map<string, Resident>()
  /** Shards in which Units were found. */
  #shards = 0

  constructor(options: HostOptions) {
    this.#options = options
    this.#pool = this.#threads()
  }

  search<N extends 'searchText' | 'searchVectors'>(name: N, ask: Calls[N]['ask']): Promise<Candidate[]> {
    return this.#use(ask.namespaceId, async (resident) => {
      const { query, filter } = ask
      // All requests of a search have the same clauses: those of what it counts as hidden, too.
      const of = query.closedTo ?? filter.clauses
      const { unitIds, shardId, units, scores, ranks, closed } = await resident.pool.search(
        name,
        ask,
        await resident.published(),
        of,
      )
      if (scores.length === 0) return []
      const ids = unitIds.split('\0')
      const first = closed === null ? this.#firstIn(resident, shardId) : 0
      return ids.map((unitId, i): Candidate => {
        const score = scores[i] ?? 0
        const rank = ranks?.[i]
        return closed
          ? { unitId, score, isClosed: closed[i] === 1, rank }
          : { unitId, score, at: first + (units[i] ?? 0), rank }
      })
    })
  }

  /** Where Units are that a thread just found in a shard: before it, they were elsewhere. */
  #firstIn(resident: Resident, shardId: string): number {
    if (resident.latest.shardId !== shardId) resident.latest = { shardId, first: ++this.#shards * perShard }
    return resident.latest.first
  }

  ask<N extends 'countFacets' | 'readValues'>(
    name: N,
    namespaceId: string,
    among: readonly Located[],
    question: Calls[N]['ask']['question'],
  ): Promise<Calls[N]['answer']> {
    return this.#use(namespaceId, async (resident) => {
      const published = await resident.published()
      const ask = { namespaceId, among: sent(among, resident.latest), question } as Calls[N]['ask']
      return resident.pool.search(name, ask, published, question)
    })
  }

  cursor(namespaceId: string): Promise<number> {
    return this.#use(namespaceId, async (resident) => (await resident.published()).cursor)
  }

  manifest(namespaceId: string, plane: Plane): Promise<ReadonlyMap<string, number>> {
    return this.#use(namespaceId, (resident) =>
      resident.exclusively(() => resident.pool.write('manifest', { namespaceId, plane })),
    )
  }

  /** unitId -> seq of those that have a row. */
  async held(namespaceId: string, units: readonly Located[]): Promise<ReadonlyMap<string, number>> {
    const unitIds = units.map(({ unitId }) => unitId)
    const seqs = await this.#use(namespaceId, (resident) =>
      resident.exclusively(() => resident.pool.write('held', { namespaceId, unitIds: unitIds.join('\0') })),
    )
    return new Map(unitIds.map((unitId, i) => [unitId, seqs[i] ?? 0]))
  }

  /** In runs, because data sent to a thread is copied at once. False where the index has not reached `after`. */
  async apply(namespaceId: string, changes: readonly IndexChange[], place: Place | null): Promise<boolean> {
    const runs = changes.length === 0 ? [[]] : runsOf(changes, runSize)
    let after = place?.after ?? 0
    for (const [i, run] of runs.entries()) {
      const last = run.at(-1)
      const upTo = i + 1 < runs.length && last ? seqOf(last) : (place?.upTo ?? 0)
      const ask = { namespaceId, changes: run, place: place && { after, upTo } }
      const apply = async (pool: ThreadPool) => {
        const applied = await pool.write('apply', ask)
        for (const unit of applied?.partial ?? []) {
          this.#options.log.warn(
            { namespaceId, ...unit },
            'a Unit cannot be read as a whole; it is indexed without a part',
          )
        }
        return applied
      }
      if (!(await this.#change(namespaceId, apply))) return false
      after = upTo
    }
    return true
  }

  /** What namespaces in memory have, by plane. */
  content(): Promise<ReadonlyMap<Plane, PlaneContent>> {
    return this.#pool.write('content', null)
  }

  async reset(namespaceId: string): Promise<void> {
    await this.#change(namespaceId, (pool) => pool.write('reset', { namespaceId }))
  }

  /** Writes the snapshots that are due and ends the threads. */
  async close(): Promise<void> {
    try {
      await Promise.all([...this.#residents.values()].map((resident) => resident.close()))
    } finally {
      await this.#pool.end()
    }
  }

  #change(namespaceId: string, change: (pool: ThreadPool) => Promise<Published | null>): Promise<boolean> {
    return this.#use(namespaceId, (resident) => resident.change(() => change(resident.pool)))
  }

  #threads(): ThreadPool {
    const { threads, directory, log } = this.#options
    const pool = new ThreadPool(threads, directory, async (err) => {
      log.error({ err }, 'an index thread ended; the index begins again from its snapshots')
      // Until all of them have ended, calls fail: two threads must not write.
      await pool.end()
      for (const resident of this.#residents.values()) resident.abandon()
      this.#residents.clear()
      this.#pool = this.#threads()
    })
    return pool
  }

  async #use<T>(namespaceId: string, work: (resident: Resident) => Promise<T>): Promise<T> {
    const resident = this.#residents.get(namespaceId) ?? this.#resident(namespaceId)
    this.#residents.delete(namespaceId)
    this.#residents.set(namespaceId, resident)
    resident.users++
    try {
      return await work(resident)
    } finally {
      resident.users--
      this.#evict()
    }
  }

  #resident(namespaceId: string): Resident {
    const { quietMs, log } = this.#options
    return new Resident(namespaceId, this.#pool, this.#released, { quietMs, maxMs: maxPostponements * quietMs, log })
  }

  #evict(): void {
    const { memoryBytes } = this.#options
    let held = 0
    for (const resident of this.#residents.values()) held += resident.bytes
    const latest = memoryBytes > 0 ? [...this.#residents.keys()].at(-1) : undefined
    for (const [namespaceId, resident] of this.#residents) {
      if (held <= memoryBytes) return
      if (resident.users > 0 || namespaceId === latest) continue
      held -= resident.bytes
      resident.evict()
    }
  }
}
