import { Worker } from 'node:worker_threads'
import { WorkerHost } from '../../../async/worker-host.ts'
import type { ShardState } from '../shard/shard.ts'
import type { Calls, ThreadOptions } from './messages.ts'

/** A namespace as it was published; versions of one namespace only increase. */
export interface Version {
  version: number
  state: ShardState
}

interface Thread {
  host: WorkerHost<Calls>
  /** Which version of each namespace it has; the writing thread has all of them. */
  attached: Map<string, number>
}

export type Search = 'searchText' | 'searchVectors' | 'countFacets' | 'readValues'

/**
 * The threads over the shards: the first one writes, and all search. It starts when it is first used, because without data a
 * service needs none; the others start when those before them are busy.
 */
export class ThreadPool {
  readonly #max: number
  readonly #directory: string
  readonly #threads: Thread[] = []
  /** By search: the thread that gets its requests of this turn of the event loop, which go in one message. */
  readonly #chosen = new Map<object, number>()
  readonly #onLost: (error: unknown) => void
  #isOver = false

  /** @param onLost a thread has ended by itself. Memory that it wrote may be half written: nothing of this pool is of use any more. */
  constructor(max: number, directory: string, onLost: (error: unknown) => void) {
    if (max < 1) throw new RangeError('an index needs a thread')
    this.#max = max
    this.#directory = directory
    this.#onLost = onLost
  }

  write<N extends keyof Calls>(name: N, ask: Calls[N]['ask']): Promise<Calls[N]['answer']> {
    return (this.#threads[0] ?? this.#start()).host.call(name, ask)
  }

  /**
   * Searches in the least busy thread, the writing thread last.
   *
   * @param of the same for all requests of one search
   */
  async search<N extends Search>(
    name: N,
    ask: Calls[N]['ask'],
    { version, state }: Version,
    of: object,
  ): Promise<Calls[N]['answer']> {
    const chosen = this.#chosen.get(of) ?? this.#idlest()
    if (this.#chosen.size === 0) setImmediate(() => this.#chosen.clear())
    this.#chosen.set(of, chosen)
    const thread = this.#threads[chosen] ?? this.#start()
    const { namespaceId } = ask
    if (chosen !== 0 && thread.attached.get(namespaceId) !== version) {
      thread.attached.set(namespaceId, version)
      // Messages arrive in order, so the search finds it attached.
      thread.host.call('attach', { namespaceId, state }).catch(() => {})
    }
    return thread.host.call(name, ask)
  }

  /** Starts a further thread if all are busy. It is not waited for: that takes longer than most searches. */
  #idlest(): number {
    const loads = this.#threads.map(({ host }, i) => (i === 0 || host.isReady ? host.load : Infinity))
    const least = Math.min(...loads)
    const allReady = this.#threads.every(({ host }) => host.isReady)
    if (least > 0 && allReady && loads.length > 0 && loads.length < this.#max && !this.#isOver) this.#start()
    return Math.max(0, loads.lastIndexOf(least))
  }

  #start(): Thread {
    const workerData: ThreadOptions = { thread: this.#threads.length, directory: this.#directory }
    const host = new WorkerHost<Calls>(new Worker(new URL('./thread.ts', import.meta.url), { workerData }), {
      failureOf: ({ error }) => error ?? new Error('an index thread ended'),
      onEnd: (error) => {
        if (this.#isOver) return
        this.#isOver = true
        this.#onLost(error)
      },
    })
    const thread = { host, attached: new Map<string, number>() }
    this.#threads.push(thread)
    return thread
  }

  /** Makes every thread drop its data of a namespace; the writing one only if `everywhere`. */
  async forget(namespaceId: string, { everywhere }: { everywhere: boolean }): Promise<void> {
    const forgetting = this.#threads.map((thread, i) => {
      thread.attached.delete(namespaceId)
      return i > 0 || everywhere ? thread.host.call('forget', { namespaceId }) : undefined
    })
    await Promise.all(forgetting)
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#threads.map(({ host }) => host.end()))
  }
}
