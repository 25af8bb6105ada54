import type { ChildProcess } from 'node:child_process'
import type { Transferable, Worker } from 'node:worker_threads'
import type { Call, Calls, LastWords, Reply } from './calls.ts'
import { createLimiter } from './limits.ts'

// Own code: piscina chooses the thread of each task itself, gives a thread one task at a time, and has no processes.

/** How a thread or a process ended: with an error, or with an exit. */
export interface Ending {
  error?: Error
  code?: number | null
  signal?: NodeJS.Signals | null
}

interface HostOptions {
  /** The error of its calls, and of those that come later. */
  failureOf(ending: Ending): Error
  /** It has ended, by itself or by `end`; with the error that came first. */
  onEnd?(error: unknown): void
}

/** A thread or a process that answers calls (`answerCalls`), and its unanswered calls. */
export class WorkerHost<C extends Calls<C>> {
  readonly #worker: Worker | ChildProcess
  readonly #failureOf: HostOptions['failureOf']
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>()
  readonly #exited = Promise.withResolvers<void>()
  /** Calls since the last message. A message costs far more than its content: calls of one turn of the event loop share it. */
  #unsent: Call[] = []
  #transfer: Transferable[] = []
  #lastId = 0
  #isReady = false
  #failure: { reason: unknown } | null = null

  constructor(worker: Worker | ChildProcess, { failureOf, onEnd }: HostOptions) {
    this.#worker = worker
    this.#failureOf = failureOf
    worker.on('message', (message: Reply[] | LastWords) => this.#take(message))
    worker.on('error', (error: Error) => {
      this.#fail(failureOf({ error }))
      if (!('postMessage' in worker)) worker.kill('SIGKILL')
    })
    worker.on('exit', (code: number | null, signal?: NodeJS.Signals | null) => {
      this.#fail(failureOf({ code, signal: signal ?? null }))
      this.#exited.resolve()
      onEnd?.(this.#failure?.reason)
    })
    this.#keepsAlive(false)
  }

  /** It has loaded its modules. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** Its calls fail. */
  get hasEnded(): boolean {
    return this.#failure !== null
  }

  /** How many calls it has not answered. */
  get load(): number {
    return this.#pending.size
  }

  call<N extends keyof C>(name: N, ask: C[N]['ask'], transfer: readonly Transferable[] = []): Promise<C[N]['answer']> {
    if (this.#failure) return Promise.reject(this.#failure.reason)
    const id = ++this.#lastId
    const call = Promise.withResolvers<C[N]['answer']>()
    // Only unanswered calls keep the process alive.
    if (this.#pending.size === 0) this.#keepsAlive(true)
    this.#pending.set(id, call as PromiseWithResolvers<unknown>)
    if (this.#unsent.length === 0) setImmediate(() => this.#send())
    this.#unsent.push({ id, name, ask })
    this.#transfer.push(...transfer)
    return call.promise
  }

  /** Ends it. Its calls fail at once with the reason; without one, when it has ended. Resolves then. */
  async end(reason?: unknown): Promise<void> {
    if (reason !== undefined) this.#fail(reason)
    if ('postMessage' in this.#worker) await this.#worker.terminate()
    else this.#worker.kill('SIGKILL')
    await this.ended()
  }

  /** Resolves when it has ended by itself. */
  async ended(): Promise<void> {
    this.#keepsAlive(true)
    await this.#exited.promise
  }

  #send(): void {
    const [calls, transfer] = [this.#unsent, this.#transfer]
    this.#unsent = []
    this.#transfer = []
    if (this.#failure) return
    if ('postMessage' in this.#worker) this.#worker.postMessage(calls, transfer)
    else this.#worker.send(calls)
  }

  #take(message: Reply[] | LastWords): void {
    this.#isReady = true
    if (!Array.isArray(message)) {
      this.#fail(this.#failureOf({ error: message.ends }))
      return
    }
    for (const reply of message) {
      const call = this.#pending.get(reply.id)
      this.#pending.delete(reply.id)
      if (this.#pending.size === 0) this.#keepsAlive(false)
      if ('error' in reply) call?.reject(reply.error)
      else call?.resolve(reply.answer)
    }
  }

  /** Keeps the reason that came first. */
  #fail(reason: unknown): void {
    this.#failure ??= { reason }
    for (const { reject } of this.#pending.values()) reject(this.#failure.reason)
    this.#pending.clear()
  }

  #keepsAlive(isKept: boolean): void {
    const how = isKept ? 'ref' : 'unref'
    this.#worker[how]()
    if ('channel' in this.#worker) this.#worker.channel?.[how]()
  }
}

interface PoolOptions<C extends Calls<C>> {
  max: number
  start(): WorkerHost<C>
  /** How long a worker may have nothing to do before it is ended. */
  idleMs?: number
}

/** Workers that serve one user at a time. They start on first use; one that has ended is replaced on the next use. */
export interface WorkerPool<C extends Calls<C>> {
  /** Waits for its turn. Rejects with the reason of the signal, or of `close`. */
  use<T>(work: (host: WorkerHost<C>) => Promise<T>, signal?: AbortSignal): Promise<T>
  /** Ends all workers; calls fail with the reason. */
  close(reason: Error): Promise<void>
}

export function createWorkerPool<C extends Calls<C>>({ max, start, idleMs }: PoolOptions<C>): WorkerPool<C> {
  const all = new Set<WorkerHost<C>>()
  const idle: { host: WorkerHost<C>; timer: NodeJS.Timeout | undefined }[] = []
  const turns = createLimiter({ max })
  const closing = new AbortController()

  const end = async (host: WorkerHost<C>, reason?: Error) => {
    all.delete(host)
    await host.end(reason)
  }
  const take = (): WorkerHost<C> => {
    for (let last = idle.pop(); last; last = idle.pop()) {
      clearTimeout(last.timer)
      if (!last.host.hasEnded) return last.host
      all.delete(last.host)
    }
    const host = start()
    all.add(host)
    return host
  }
  const giveBack = (host: WorkerHost<C>) => {
    if (host.hasEnded) all.delete(host)
    else {
      const onIdle = () => {
        idle.splice(
          idle.findIndex((one) => one.host === host),
          1,
        )
        void end(host)
      }
      idle.push({ host, timer: idleMs === undefined ? undefined : setTimeout(onIdle, idleMs).unref() })
    }
  }

  return {
    use: async (work, signal) => {
      const stop = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal
      const leave = await turns.enter({ signal: stop })
      try {
        stop.throwIfAborted()
        const host = take()
        try {
          return await work(host)
        } finally {
          giveBack(host)
        }
      } finally {
        leave()
      }
    },
    close: async (reason) => {
      closing.abort(reason)
      for (const { timer } of idle) clearTimeout(timer)
      await Promise.all([...all].map((host) => end(host, reason)))
    },
  }
}
