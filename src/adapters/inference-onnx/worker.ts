import { Worker } from 'node:worker_threads'
import type { Ask, Failure, Reply, Request } from './messages.ts'

/** A load or a run failed, or the thread ended. Contains no texts. */
export class OnnxError extends Error {
  readonly of: Failure['of'] | 'thread'
  /** The message of the runtime; it may contain texts. */
  readonly detail: string

  constructor(of: OnnxError['of'], problem: string, detail = '') {
    super(problem)
    this.name = 'OnnxError'
    this.of = of
    // Not for logs, which print enumerable properties.
    this.detail = detail
    Object.defineProperty(this, 'detail', { enumerable: false })
  }
}

/** `reason` is a code: messages may contain texts. */
export const ended = (reason = '') => new OnnxError('thread', `the thread of the models ended${reason}`)

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '')

interface Pending {
  resolve(rows: Float32Array[]): void
  reject(error: OnnxError): void
}

/** One thread and its unanswered calls. */
export class OnnxWorker {
  readonly #worker = new Worker(new URL('./thread.ts', import.meta.url))
  readonly #pending = new Map<number, Pending>()
  #lastId = 0
  #ended = false

  constructor() {
    this.#worker.on('message', (reply: Reply) => this.#take(reply))
    this.#worker.on('error', (error) => this.#end(codeOf(error)))
    this.#worker.on('exit', () => this.#end(''))
    this.#worker.unref()
  }

  get hasEnded(): boolean {
    return this.#ended
  }

  call(ask: Ask): Promise<Float32Array[]> {
    if (this.#ended) return Promise.reject(ended())
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array[]>()
    // Only a thread with unanswered calls keeps the process alive.
    this.#worker.ref()
    this.#pending.set(id, { resolve, reject })
    this.#worker.postMessage({ id, ask } satisfies Request)
    return promise
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  #end(reason: string): void {
    this.#ended = true
    for (const { reject } of this.#pending.values()) reject(ended(reason))
    this.#pending.clear()
  }

  #take(reply: Reply): void {
    const pending = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    if (this.#pending.size === 0) this.#worker.unref()
    if ('rows' in reply) pending?.resolve(reply.rows)
    else {
      const { of, message } = reply.failure
      pending?.reject(new OnnxError(of, of === 'run' ? 'the model failed' : message, message))
    }
  }
}
