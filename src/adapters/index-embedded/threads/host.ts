import type { Log } from '../../../model/log.ts'
import type { Plane } from '../../../model/unit.ts'
import type { Candidate, IndexChange, PlaneContent } from '../../../ports/indexes/index-filter.ts'
import { runsOf } from '../../../slices/stringify-json.ts'
import type { Calls, Place, Published } from './messages.ts'
import { ThreadPool, type Version } from './pool.ts'
import { Released } from './released.ts'

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

/** How much is sent to a thread at once. Bytes, about. */
const runSize = 2 ** 19

/** Of the last change. */
function seqOf(changes: readonly IndexChange[]): number {
  const last = changes.at(-1)
  return last === undefined ? 0 : last.kind === 'put' ? last.unit.seq : last.seq
}

/** Keeps namespaces in memory while in use: loads on first use, snapshots when quiet, evicts if memory is short. */
export class Host {
  readonly #options: HostOptions
  #pool: ThreadPool
  readonly #released = new Released(releasedMemories)
  // In order of last use.
  readonly #residents = new Map<string, Resident>()

  constructor(options: HostOptions) {
    this.#options = options
    this.#pool = this.#threads()
  }

  search<N extends 'searchText' | 'searchVectors'>(name: N, ask: Calls[N]['ask']): Promise<Candidate[]> {
    return this.#use(ask.namespaceId, async (resident) => {
      const { unitIds, scores } = await resident.pool.search(name, ask, await resident.published())
      return scores.length === 0 ? [] : unitIds.split('\0').map((unitId, i) => ({ unitId, score: scores[i] ?? 0 }))
    })
  }

  ask<N extends 'countFacets' | 'readValues'>(
    name: N,
    namespaceId: string,
    question: Calls[N]['ask']['question'],
  ): Promise<Calls[N]['answer']> {
    return this.#use(namespaceId, async (resident) =>
      resident.pool.search(name, { namespaceId, question } as Calls[N]['ask'], await resident.published()),
    )
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
  async held(namespaceId: string, unitIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
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
      const upTo = i + 1 === runs.length ? (place?.upTo ?? 0) : seqOf(run)
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

interface SnapshotTiming {
  quietMs: number
  maxMs: number
  log: Log
}

/** One namespace's place in memory. Its changes run one after another. */
class Resident {
  /** Running calls: while there are any, it is not evicted. */
  users = 0
  /** Its threads: only they have what it published. */
  readonly pool: ThreadPool
  readonly #namespaceId: string
  readonly #timing: SnapshotTiming
  readonly #released: Released
  #published: (Published & Version) | null = null
  #version = 0
  #last: Promise<unknown> = Promise.resolve()
  /** Time of the oldest change that no snapshot holds; null when there is none. */
  #dirtySince: number | null = null
  #timer: NodeJS.Timeout | undefined

  /** @param released counts memories of vectors and of sketches */
  constructor(namespaceId: string, pool: ThreadPool, released: Released, timing: SnapshotTiming) {
    this.#namespaceId = namespaceId
    this.pool = pool
    this.#released = released
    this.#timing = timing
  }

  /** 0 while it is not in memory. */
  get bytes(): number {
    return this.#published?.bytes ?? 0
  }

  /** Its current state; loads it if it is not in memory. */
  async published(): Promise<Published & Version> {
    return this.#published ?? this.exclusively(() => this.#load())
  }

  /** Runs after all changes requested before. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(async () => {
      await this.#load()
      return work()
    })
    this.#last = done.catch(() => {})
    return done
  }

  /** False where there was nothing to publish. A change that fails may have left half a row: the next use loads the snapshot. */
  change(work: () => Promise<Published | null>): Promise<boolean> {
    return this.exclusively(async () => {
      const published = await work().catch((error: unknown) => {
        this.abandon()
        throw error
      })
      if (published === null) return false
      this.#publish(published)
      this.#dirtySince ??= performance.now()
      this.#scheduleSnapshot()
      return true
    })
  }

  /** Evicts it after writing its snapshot, unless it is in use again when its turn comes. */
  evict(): void {
    const turn = this.#last.then(async () => {
      if (this.users > 0 || this.#published === null) return
      await this.#save()
      // Calls that arrived meanwhile rely on it being in memory.
      if (this.users > 0) return
      this.#release()
      this.#published = null
      await this.pool.forget(this.#namespaceId, { everywhere: true })
    })
    this.#last = turn.catch((error: unknown) => this.#warn(error))
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#saveInTurn()
    await this.#last
  }

  /** Its memory is of no use any more, and nothing of it is saved. */
  abandon(): void {
    clearTimeout(this.#timer)
    this.#dirtySince = null
    this.#release()
    this.#published = null
  }

  async #load(): Promise<Published & Version> {
    if (this.#published) return this.#published
    const namespaceId = this.#namespaceId
    const { damage, ...published } = await this.pool.write('load', { namespaceId })
    if (damage !== null) this.#timing.log.warn({ namespaceId, damage }, 'an index snapshot is unusable; rebuilding')
    return this.#publish(published)
  }

  #publish(published: Published): Published & Version {
    if (published.state.id !== this.#published?.state.id) this.#release()
    this.#published = { ...published, version: ++this.#version }
    return this.#published
  }

  #release(): void {
    this.#released.add(2 * (this.#published?.state.matrices.length ?? 0))
  }

  /** Writes changes that no snapshot holds yet. Threads then release the rows that were compacted away. */
  async #save(): Promise<void> {
    if (this.#dirtySince === null || this.#published === null) return
    this.#publish(await this.pool.write('save', { namespaceId: this.#namespaceId }))
    this.#dirtySince = null
    await this.pool.forget(this.#namespaceId, { everywhere: false })
  }

  #scheduleSnapshot(): void {
    const { quietMs, maxMs } = this.#timing
    const waited = performance.now() - (this.#dirtySince ?? performance.now())
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#saveInTurn(), Math.max(0, Math.min(quietMs, maxMs - waited)))
    this.#timer.unref()
  }

  #saveInTurn(): void {
    this.#last = this.#last.then(() => this.#save()).catch((error: unknown) => this.#warn(error))
  }

  #warn(error: unknown): void {
    this.#timing.log.warn({ err: error, namespaceId: this.#namespaceId }, 'an index snapshot could not be written')
  }
}
