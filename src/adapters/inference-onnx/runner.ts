import { Worker } from 'node:worker_threads'
import { unlessAborted } from '../../async/deadline.ts'
import { createLimiter } from '../../async/limiter.ts'
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

export interface RunOptions {
  signal?: AbortSignal | undefined
  /** A user waits for it: it runs before the others. */
  urgent: boolean
}

/** Runs models, one batch at a time: the runtime uses all cores for each. */
export interface Runner {
  load(spec: ModelSpec): Promise<void>
  /**
   * One row for each input, in order. A run in progress when the signal aborts is finished, but not waited for. Throws
   * OnnxError, or the signal's reason.
   */
  run(key: string, inputs: readonly Input[], options: RunOptions): Promise<Float32Array[]>
  /** The thread ended and has not been replaced yet. */
  isFailing(): boolean
  close(): Promise<void>
}

/** The pause between attempts to replace a thread that ended. */
const pauseMs = 10_000

/** `start` makes the thread, and another one after that ended. */
export function createRunner(start: () => OnnxWorker = () => new OnnxWorker()): Runner {
  const turns = createLimiter({ max: 1 })
  const specs: ModelSpec[] = []
  let worker: OnnxWorker | null = null
  let closed = false
  let pausedUntil = 0

  const revived = async () => {
    if (performance.now() < pausedUntil) throw ended()
    pausedUntil = performance.now() + pauseMs
    const next = start()
    try {
      for (const spec of specs) await next.load(spec)
    } catch (error) {
      await next.end()
      throw error
    }
    return next
  }
  const alive = async () => {
    if (closed) throw ended()
    worker = worker?.hasEnded ? await revived() : (worker ?? start())
    return worker
  }
  const inTurn = async <T>(options: RunOptions, work: () => Promise<T>): Promise<T> => {
    const leave = await turns.enter(options)
    return unlessAborted(work().finally(leave), options.signal)
  }

  return {
    load: (spec) =>
      inTurn({ urgent: true }, async () => {
        await (await alive()).load(spec)
        specs.push(spec)
      }),
    run: (key, inputs, options) => inTurn(options, async () => (await alive()).run(key, inputs)),
    isFailing: () => worker?.hasEnded === true,
    close: async () => {
      closed = true
      await worker?.end()
    },
  }
}
