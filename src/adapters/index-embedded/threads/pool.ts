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
  /** Received a request in this moment: the rest of the same search is still to come. */
  isGathering: boolean
}

function call<N extends keyof Calls>(thread: Thread, name: N, ask: Calls[N]['ask']): Promise<Calls[N]['answer']> {
  if (!thread.isGathering) {
    thread.isGathering = true
    queueMicrotask(() => {
      thread.isGathering = false
    })
  }
  return thread.host.call(name, ask)
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
    return call(this.#threads[0] ?? this.#start(), name, ask)
  }

  /** Searches in the least busy thread, the writing thread last. Requests of the same moment stay together. */
  async search<N extends Search>(
    name: N,
    ask: Calls[N]['ask'],
    { version, state }: Version,
  ): Promise<Calls[N]['answer']> {
    const chosen = this.#idlest()
    const thread = this.#threads[chosen] ?? this.#start()
    const { namespaceId } = ask
    if (chosen !== 0 && thread.attached.get(namespaceId) !== version) {
      thread.attached.set(namespaceId, version)
      // Messages arrive in order, so the search finds it attached.
      call(thread, 'attach', { namespaceId, state }).catch(() => {})
    }
    return call(thread, name, ask)
  }

  /** Starts a further thread if all are busy. It is not waited for: that takes longer than most searches. */
  #idlest(): number {
    const loads = this.#threads.map((thread, i) => {
      if (thread.isGathering) return -1
      return i === 0 || thread.host.isReady ? thread.host.load : Infinity
    })
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
    const thread = { host, attached: new Map<string, number>(), isGathering: false }
    this.#threads.push(thread)
    return thread
  }

  /** Makes every thread drop its data of a namespace; the writing one only if `everywhere`. */
  async forget(namespaceId: string, { everywhere }: { everywhere: boolean }): Promise<void> {
    const forgetting = this.#threads.map((thread, i) => {
      thread.attached.delete(namespaceId)
      return i > 0 || everywhere ? call(thread, 'forget', { namespaceId }) : undefined
    })
    await Promise.all(forgetting)
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#threads.map(({ host }) => host.end()))
  }
}
