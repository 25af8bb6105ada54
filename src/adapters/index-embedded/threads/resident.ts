import type { Log } from '../../../model/log.ts'
import type { Published } from './messages.ts'
import type { ThreadPool, Version } from './pool.ts'
import type { Released } from './released.ts'

interface SnapshotTiming {
  quietMs: number
  maxMs: number
  log: Log
}

/** One namespace's place in memory. Its changes run one after another. */
export class Resident {
  /** Running calls: while there are any, it is not evicted. */
  users = 0
  /** Its threads: only they have what it published. */
  readonly pool: ThreadPool
  /** The shard in which Units were found last, and where the first of them is. */
  latest = { shardId: '', first: 0 }
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
    this.#published = null
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
