import { Worker } from 'node:worker_threads'
import { WorkerHost } from '../../async/worker-host.ts'
import type { Failure, Input, ModelCalls, ModelSpec } from './messages.ts'

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

/** The thread of the models. */
export class OnnxWorker {
  readonly #host = new WorkerHost<ModelCalls>(new Worker(new URL('./thread.ts', import.meta.url)), {
    failureOf: ({ error }) => ended(codeOf(error)),
  })

  get hasEnded(): boolean {
    return this.#host.hasEnded
  }

  async load(spec: ModelSpec): Promise<void> {
    const failure = await this.#host.call('load', spec)
    if (failure !== null) throw errorOf(failure)
  }

  async run(key: string, inputs: readonly Input[]): Promise<Float32Array[]> {
    const rows = await this.#host.call('run', { key, inputs })
    if (!Array.isArray(rows)) throw errorOf(rows)
    return rows
  }

  end(): Promise<void> {
    return this.#host.end()
  }
}

const errorOf = ({ of, message }: Failure) => new OnnxError(of, of === 'run' ? 'the model failed' : message, message)
