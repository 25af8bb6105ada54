import type { Log } from '../../../model/log.ts'
import type { Plane } from '../../../model/unit.ts'
import type { Candidate, IndexChange, PlaneContent } from '../../../ports/indexes/index-filter.ts'
import { runsOf } from '../../../slices/stringify-json.ts'
import type { Calls, Published } from './messages.ts'
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
  readonly #pool: ThreadPool
  readonly #released = new Released(releasedMemories)
  // In order of last use.
  readonly #residents = new Map<string, Resident>()

  constructor(options: HostOptions) {
    this.#options = options
    this.#pool = new ThreadPool(options.threads, options.directory)
  }

  search(name: 'searchText', ask: Calls['searchText']['ask']): Promise<Candidate[]>
  search(name: 'searchVectors', ask: Calls['searchVectors']['ask']): Promise<Candidate[]>
  search(name: 'searchText' | 'searchVectors', ask: Calls[typeof name]['ask']): Promise<Candidate[]> {
    return this.#use(ask.namespaceId, async (resident) => {
      const { unitIds, scores } = await this.#pool.search(name, ask, await resident.published())
      return scores.length === 0 ? [] : unitIds.split('\n').map((unitId, i) => ({ unitId, score: scores[i] ?? 0 }))
    })
  }

  cursor(namespaceId: string): Promise<number> {
    return this.#use(namespaceId, async (resident) => (await resident.published()).cursor)
  }

  manifest(namespaceId: string, plane: Plane): Promise<ReadonlyMap<string, number>> {
    return this.#use(namespaceId, (resident) =>
      resident.exclusively(() => this.#pool.write('manifest', { namespaceId, plane })),
    )
  }

  /** In runs, because data sent to a thread is copied at once. */
  async apply(namespaceId: string, changes: readonly IndexChange[], upTo: number | null): Promise<void> {
    const runs = changes.length === 0 ? [[]] : runsOf(changes, runSize)
    for (const [i, run] of runs.entries()) {
      const reached = upTo === null || i + 1 === runs.length ? upTo : seqOf(run)
      await this.#change(namespaceId, () => this.#pool.write('apply', { namespaceId, changes: run, upTo: reached }))
    }
  }

  /** What namespaces in memory have, by plane. */
  content(): Promise<ReadonlyMap<Plane, PlaneContent>> {
    return this.#pool.write('content', null)
  }

  reset(namespaceId: string): Promise<void> {
    return this.#change(namespaceId, () => this.#pool.write('reset', { namespaceId }))
  }

  /** Writes the snapshots that are due and ends the threads. */
  async close(): Promise<void> {
    try {
      await Promise.all([...this.#residents.values()].map((resident) => resident.close()))
    } finally {
      await this.#pool.end()
    }
  }

  #change(namespaceId: string, change: () => Promise<Published>): Promise<void> {
    return this.#use(namespaceId, (resident) => resident.change(change))
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
