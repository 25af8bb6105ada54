import { performance } from 'node:perf_hooks'
import { parentPort } from 'node:worker_threads'
import { closedLoop } from './closed-loop.ts'
import { type HttpConnection, openConnection } from './http-connection.ts'
import type { LoadAnswer, LoadJob, LoadTimings } from './load.ts'

async function run({ origin, requests, clients, limit, mustContain }: LoadJob): Promise<LoadTimings> {
  const connections: HttpConnection[] = []
  try {
    for (let i = 0; i < clients; i++) connections.push(await openConnection(origin))
    const client = (connection: HttpConnection) => async (i: number) => {
      const request = requests[i % requests.length]
      if (!request) throw new Error('a job without requests')
      const body = await connection.send(request)
      if (mustContain && !body.includes(mustContain)) throw new Error(`answered without ${mustContain}`)
    }
    const before = performance.eventLoopUtilization()
    const timings = await closedLoop(connections.map(client), limit)
    return { ...timings, clientBusy: performance.eventLoopUtilization(before).utilization }
  } finally {
    for (const connection of connections) connection.close()
  }
}

parentPort?.on('message', async (job: LoadJob) => {
  const answer: LoadAnswer = await run(job).then(
    (timings) => ({ timings }),
    (error: unknown) => ({ error: String(error) }),
  )
  parentPort?.postMessage(answer)
})
