/**
 * The cost of the service on top of `node:http`: the comparison is a server that only returns the same responses. Then
 * the cost of metrics and traces.
 * `npm run bench:http -- [--seconds 2] [--rounds 3]`.
 */
import { readArguments } from '../support/arguments.ts'
import { httpRequest } from '../support/http-connection.ts'
import { benchDir, exitOnSignals } from '../support/leave-nothing.ts'
import { type LoadTimings, startLoadGenerator } from '../support/load.ts'
import { call, startService, stopService } from '../support/service.ts'
import { printTable, short } from '../support/table.ts'
import type { Recording } from './bare-server.ts'
import { type Case, casesFor } from './cases.ts'
import { measureMetrics } from './metrics-cost.ts'
import { measureOverhead } from './overhead.ts'
import { startBareServer } from './start-bare-server.ts'

exitOnSignals()
const { values } = readArguments({
  options: { seconds: { type: 'string', default: '2' }, rounds: { type: 'string', default: '3' } },
})
const seconds = Number(values.seconds)
const folder = benchDir('http')
// As in production, each request writes a log line.
await using service = await startService(folder.path, { LOG_LEVEL: 'info' })
const { tokens } = (await call(service.url, '/v1/admin/seed', {})) as { tokens: { admin: string } }
const cases = casesFor(tokens.admin)
const recordings: Recording[] = []
for (const one of cases) recordings.push(await record(service.url, one))
const bare = await startBareServer(recordings)
const load = startLoadGenerator()

const rows: string[][] = []
for (const [i, one] of cases.entries()) {
  for (const clients of [1, 16]) {
    const run = (origin: string, limit: number): Promise<LoadTimings> =>
      load.run({ origin, requests: [httpRequest(origin, one)], clients, limit: { seconds: limit } })
    for (const origin of [bare.origin, service.url]) await run(origin, seconds / 2)
    const measured: { bare: LoadTimings[]; service: LoadTimings[] } = { bare: [], service: [] }
    // Alternating, so that a busy moment of the machine affects both.
    for (let round = 0; round < Number(values.rounds); round++) {
      measured.bare.push(await run(bare.origin, seconds))
      measured.service.push(await run(service.url, seconds))
    }
    const bareMedian = median(measured.bare)
    const serviceMedian = median(measured.service)
    rows.push([
      one.name,
      short(Buffer.byteLength(recordings[i]?.body ?? '')),
      `${clients}`,
      short(bareMedian.perSecond),
      short(serviceMedian.perSecond),
      short(bareMedian.p50),
      short(serviceMedian.p50),
      `${short((100 * serviceMedian.perSecond) / bareMedian.perSecond)} %`,
      `${short(100 * bareMedian.clientBusy)} %`,
    ])
  }
}
printTable(
  'The service beside bare node:http that sends the same bytes',
  [
    'route',
    'bytes',
    'clients',
    'bare req/s',
    'service req/s',
    'bare p50 ms',
    'service p50 ms',
    'service / bare',
    'client busy',
  ],
  rows,
)
await measureMetrics()
await measureOverhead(load, folder.path, seconds, Number(values.rounds))
await load.close()
await bare.close()
await stopService(service)
folder.remove()

/** The median round by throughput. */
function median(rounds: LoadTimings[]): LoadTimings {
  const sorted = rounds.toSorted((a, b) => a.perSecond - b.perSecond)
  const middle = sorted[Math.floor(sorted.length / 2)]
  if (!middle) throw new Error('no rounds')
  return middle
}

/** Uncompressed, as the load generator asks for it. Omits the headers that the server adds to every response. */
async function record(origin: string, { method, path, headers, body }: Case): Promise<Recording> {
  const sent = new Headers(headers)
  sent.set('accept-encoding', 'identity')
  if (body !== undefined) sent.set('content-type', 'application/json')
  const response = await fetch(`${origin}${path}`, { method, headers: sent, body: body ?? null })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
  const ownHeaders = ['connection', 'keep-alive', 'date']
  const kept = [...response.headers].filter(([name]) => !ownHeaders.includes(name))
  return { method, path, headers: Object.fromEntries(kept), body: text }
}
