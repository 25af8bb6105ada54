import { Worker } from 'node:worker_threads'
import type { Found } from '../search/search.ts'
import type { ShardState } from '../shard/shard.ts'
import type { CallName, Calls, Reply, Request, ThreadOptions } from './messages.ts'

/** A namespace as it was published; versions of one namespace only increase. */
export interface Version {
  version: number
  state: ShardState
}

interface Pending {
  resolve(answer: unknown): void
  reject(error: unknown): void
}

/** One search thread and its unanswered calls. */
class Thread {
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  readonly #exited = Promise.withResolvers<void>()
  /** Requests since the last post. A post costs far more than its content, so those of one turn of the event loop share it. */
  #asked: Request[] = []
  #gathering = false
  #lastId = 0
  #ready = false
  #failure: Error | null = null

  constructor(options: ThreadOptions, onEnd: (error: Error) => void) {
    this.#worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: options })
    this.#worker.on('message', (replies: Reply[]) => {
      this.#ready = true
      for (const reply of replies) this.#take(reply)
    })
    this.#worker.on('error', (error) => this.#fail(error))
    this.#worker.on('exit', () => {
      this.#exited.resolve()
      onEnd(this.#fail(new Error('an index thread ended')))
    })
    this.#worker.unref()
  }

  /** It has loaded its modules. */
  get isReady(): boolean {
    return this.#ready
  }

  /** Received a request in this moment: the rest of the same search is still to come. */
  get isGathering(): boolean {
    return this.#gathering
  }

  get load(): number {
    return this.#pending.size
  }

  call<N extends CallName>(name: N, ask: Calls[N]['ask']): Promise<Calls[N]['answer']> {
    if (this.#failure) return Promise.reject(this.#failure)
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<Calls[N]['answer']>()
    // Only a thread with unanswered requests keeps the process alive.
    this.#worker.ref()
    this.#pending.set(id, { resolve: (answer) => resolve(answer as Calls[N]['answer']), reject })
    if (this.#asked.length === 0) setImmediate(() => this.#post())
    this.#gather()
    this.#asked.push({ id, name, ask } as Request)
    return promise
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
    await this.#exited.promise
  }

  #gather(): void {
    if (this.#gathering) return
    this.#gathering = true
    queueMicrotask(() => {
      this.#gathering = false
    })
  }

  #post(): void {
    this.#worker.postMessage(this.#asked)
    this.#asked = []
  }

  #take(reply: Reply): void {
    const pending = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    if (this.#pending.size === 0) this.#worker.unref()
    if ('error' in reply) pending?.reject(reply.error)
    else pending?.resolve(reply.answer)
  }

  /** Returns the error that came first. */
  #fail(error: Error): Error {
    this.#failure ??= error
    for (const { reject } of this.#pending.values()) reject(this.#failure)
    this.#pending.clear()
    return this.#failure
  }
}

type Search = 'searchText' | 'searchVectors'

/**
 * The threads over the shards: the first one writes, and all search. It starts when it is first used, because without data a
 * service needs none; the others start when those before them are busy.
 */
export class ThreadPool {
  readonly #max: number
  readonly #directory: string
  readonly #threads: Thread[] = []
  /** By thread, which version of each namespace it has; the writing thread has all of them. */
  readonly #attached: Map<string, number>[] = []
  readonly #onLost: (error: Error) => void
  #isOver = false

  /** @param onLost a thread has ended by itself. Memory that it wrote may be half written: nothing of this pool is of use any more. */
  constructor(max: number, directory: string, onLost: (error: Error) => void) {
    if (max < 1) throw new RangeError('an index needs a thread')
    this.#max = max
    this.#directory = directory
    this.#onLost = onLost
  }

  write<N extends CallName>(name: N, ask: Calls[N]['ask']): Promise<Calls[N]['answer']> {
    return (this.#threads[0] ?? this.#start()).call(name, ask)
  }

  /** Searches in the least busy thread, the writing thread last. Requests of the same moment stay together. */
  async search(name: Search, ask: Calls[Search]['ask'], { version, state }: Version): Promise<Found> {
    const chosen = this.#idlest()
    const [thread, attached] = [this.#threads[chosen] ?? this.#start(), this.#attached[chosen]]
    const { namespaceId } = ask
    if (chosen !== 0 && attached?.get(namespaceId) !== version) {
      attached?.set(namespaceId, version)
      // Messages arrive in order, so the search finds it attached.
      thread.call('attach', { namespaceId, state }).catch(() => {})
    }
    return thread.call(name, ask)
  }

  /** Starts a further thread if all are busy. It is not waited for: that takes longer than most searches. */
  #idlest(): number {
    const loads = this.#threads.map((thread, i) => {
      if (thread.isGathering) return -1
      return i === 0 || thread.isReady ? thread.load : Infinity
    })
    const least = Math.min(...loads)
    const allReady = this.#threads.every((thread) => thread.isReady)
    if (least > 0 && allReady && loads.length > 0 && loads.length < this.#max && !this.#isOver) this.#start()
    return Math.max(0, loads.lastIndexOf(least))
  }

  #start(): Thread {
    const thread = new Thread({ thread: this.#threads.length, directory: this.#directory }, (error) => {
      if (this.#isOver) return
      this.#isOver = true
      this.#onLost(error)
    })
    this.#threads.push(thread)
    this.#attached.push(new Map())
    return thread
  }

  /** Makes every thread drop its data of a namespace; the writing one only if `everywhere`. */
  async forget(namespaceId: string, { everywhere }: { everywhere: boolean }): Promise<void> {
    const forgetting = this.#threads.map((thread, i) => {
      this.#attached[i]?.delete(namespaceId)
      return i > 0 || everywhere ? thread.call('forget', { namespaceId }) : undefined
    })
    await Promise.all(forgetting)
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#threads.map((thread) => thread.end()))
  }
}
