import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Limit, Timings } from './closed-loop.ts'

export interface LoadJob {
  /** Scheme, host and port. */
  origin: string
  /** Encoded by `httpRequest`; sent repeatedly in this order. */
  requests: readonly Uint8Array[]
  /** The number of connections, each with one request in flight. */
  clients: number
  limit: Limit
  /** A text that every body must contain. The check reads the whole body, so its cost must not matter. */
  mustContain?: string
}

export interface LoadTimings extends Timings {
  /** The share of the time in which the client itself was busy; near 1 the client is the bottleneck. */
  clientBusy: number
}

export type LoadAnswer = { timings: LoadTimings } | { error: string }

/** Sends HTTP from its own thread, so that other work of the bench does not delay it. */
export interface LoadGenerator {
  /** Rejects if any answer is not 2xx. One job at a time. */
  run(job: LoadJob): Promise<LoadTimings>
  close(): Promise<void>
}

export function startLoadGenerator(): LoadGenerator {
  const worker = new Worker(new URL('./load-worker.ts', import.meta.url))
  return {
    run: async (job) => {
      worker.postMessage(job)
      const [answer] = (await once(worker, 'message')) as [LoadAnswer]
      if ('error' in answer) throw new Error(answer.error)
      return answer.timings
    },
    close: async () => {
      await worker.terminate()
    },
  }
}
