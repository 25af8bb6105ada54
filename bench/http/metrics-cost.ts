import { createMetrics } from '../../src/adapters/metrics-prometheus/metrics.ts'
import { noTelemetry, type Telemetry } from '../../src/model/telemetry.ts'
import { planes } from '../../src/model/unit.ts'
import { printTable } from '../support/table.ts'

const calls = 30_000
const rounds = 6
const work = async () => {}

/** What a request reports: a search reports most. */
const requests: [name: string, reports: (telemetry: Telemetry) => Promise<unknown>][] = [
  ['GET /v1/context', (telemetry) => telemetry.field({ type: 'query', name: 'context' }, work)],
  ['POST /v1/search', (telemetry) => telemetry.field({ type: 'query', name: 'search' }, () => search(telemetry))],
]

async function search(telemetry: Telemetry) {
  await telemetry.stage('plan', work)
  await telemetry.stage('candidates', () => {
    const text = telemetry.leg({ kind: 'text', plane: 'all', engine: 'embedded' }, work)
    const vectors = planes.map((plane) =>
      telemetry.leg({ kind: 'vector', plane, engine: 'embedded' }, () =>
        telemetry.inference({ operation: 'embed', provider: 'builtin', model: '' }, work),
      ),
    )
    return Promise.all([text, ...vectors])
  })
  await telemetry.stage('fuse', work)
  await telemetry.stage('hydrate', work)
}

/** Prints the time of the CPU that reports of one request take. It is too little to be seen in whole requests. */
export async function measureMetrics(): Promise<void> {
  const { telemetry, requests: meter } = createMetrics()
  const rows: string[][] = []
  for (const [name, reports] of requests) {
    const [method = '', route = ''] = name.split(' ')
    const off = await least(() => reports(noTelemetry))
    const on = await least(async () => {
      meter.started(method)
      await reports(telemetry)
      meter.ended({ method, route, status: 200, ms: 1, error: null })
    })
    rows.push([name, off.toFixed(1), on.toFixed(1)])
  }
  printTable('What reports of one request take', ['route', 'off, CPU µs', 'metrics, CPU µs'], rows)
}

async function least(request: () => Promise<unknown>): Promise<number> {
  let found = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    for (let i = 0; i < calls; i++) await request()
    const { user, system } = process.cpuUsage(before)
    found = Math.min(found, (user + system) / calls)
  }
  return found
}
