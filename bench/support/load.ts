import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Limit, Timings } from './closed-loop.ts'

export interface LoadJob {
  /** Scheme, host and port. */
  origin: string
  /** Made by `httpRequest`; sent in this order, over and over. */
  requests: readonly Uint8Array[]
  /** Connections, each with one request in flight. */
  clients: number
  limit: Limit
  /** What every body must contain; looked for in all of it, so only where that costs nothing that matters. */
  mustContain?: string
}

export interface LoadTimings extends Timings {
  /** The share of the time that the client itself was at work; near 1 it is the client that was measured. */
  clientBusy: number
}

export type LoadAnswer = { timings: LoadTimings } | { error: string }

/** Sends HTTP from a thread of its own, so that nothing else that the bench does delays it. */
export interface LoadGenerator {
  /** Rejects if any request was not answered with 2xx. One job at a time. */
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
