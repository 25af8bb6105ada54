import { unlessAborted } from '../../async/deadline.ts'
import { createLimiter } from '../../async/limiter.ts'
import type { Input, ModelSpec } from './messages.ts'
import { ended, OnnxWorker } from './worker.ts'

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
