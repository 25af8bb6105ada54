import { Worker } from 'node:worker_threads'
import { createLimiter, unlessAborted } from '../../async/limits.ts'
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

/** Runs models in one thread, one call at a time. They are loaded when they are first used. */
export interface Runner {
  add(spec: ModelSpec): void
  /** Whether a run begins at once. */
  isLoaded(key: string): boolean
  /** Loads it, if it is not. Throws OnnxError. */
  load(key: string): Promise<void>
  /**
   * One row for each input, in order. A run in progress when the signal aborts is finished, but not waited for. Throws
   * OnnxError, or the signal's reason.
   */
  run(key: string, inputs: readonly Input[], options: RunOptions): Promise<Float32Array[]>
  /** A model could not be loaded, or the thread ended and has not been replaced yet. */
  isFailing(): boolean
  close(): Promise<void>
}

/** The pause between attempts to replace a thread that ended, and to load a model that could not be loaded. */
const pauseMs = 10_000
/** After this time without a run the thread ends, and its memory is free. */
const idleMs = 10 * 60_000

/** How long the end of the thread waits for a load or a run. */
const maxWaitMs = 10_000

/** `start` makes the thread, and another one after that ended. */
export function createRunner(start: () => OnnxWorker = () => new OnnxWorker(), idleAfterMs = idleMs): Runner {
  const turns = createLimiter({ max: 1 })
  const specs = new Map<string, ModelSpec>()
  const loaded = new Set<string>()
  let worker: OnnxWorker | null = null
  const failures = new Map<string, { error: unknown; until: number }>()
  let restartAt = 0
  let closed = false
  let idle: NodeJS.Timeout | undefined

  const alive = (): OnnxWorker => {
    if (closed) throw ended()
    if (worker === null || worker.hasEnded) {
      if (worker !== null && performance.now() < restartAt) throw ended()
      if (worker !== null) restartAt = performance.now() + pauseMs
      loaded.clear()
      worker = start()
    }
    return worker
  }
  const loadOn = async (thread: OnnxWorker, key: string) => {
    const spec = specs.get(key)
    if (spec === undefined || loaded.has(key)) return
    const failure = failures.get(key)
    if (failure && performance.now() < failure.until) throw failure.error
    try {
      await thread.load(spec)
      failures.delete(key)
      loaded.add(key)
    } catch (error) {
      failures.set(key, { error, until: performance.now() + pauseMs })
      throw error
    }
  }
  const inTurn = async <T>(options: RunOptions, work: (thread: OnnxWorker) => Promise<T>): Promise<T> => {
    const leave = await turns.enter(options)
    clearTimeout(idle)
    const done = async () => {
      try {
        return await work(alive())
      } finally {
        idle = setTimeout(endIdle, idleAfterMs).unref()
        leave()
      }
    }
    return unlessAborted(done(), options.signal)
  }
  const endIdle = () => {
    const last = worker
    worker = null
    loaded.clear()
    void last?.end()
  }

  return {
    add: (spec) => void specs.set(spec.key, spec),
    isLoaded: (key) => loaded.has(key) && worker?.hasEnded === false,
    load: (key) => inTurn({ urgent: true }, (thread) => loadOn(thread, key)),
    run: (key, inputs, options) =>
      inTurn(options, async (thread) => {
        await loadOn(thread, key)
        return thread.run(key, inputs)
      }),
    isFailing: () => worker?.hasEnded === true || failures.size > 0,
    close: async () => {
      closed = true
      // A thread that is ended while the runtime is loading a model takes the process with it.
      const leave = await turns.enter({ urgent: true, signal: AbortSignal.timeout(maxWaitMs) }).catch(() => undefined)
      clearTimeout(idle)
      await worker?.end()
      leave?.()
    },
  }
}
