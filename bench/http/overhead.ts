import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { hasTraceSdk } from '../../test/support/traces/has-sdk.ts'
import { httpRequest } from '../support/http-connection.ts'
import type { LoadGenerator } from '../support/load.ts'
import { call, startService, stopService } from '../support/service.ts'
import { printTable, short } from '../support/table.ts'
import { casesFor } from './cases.ts'

const clients = 8
const measured = ['GET /v1/context', 'POST /v1/search, 50 hits']

/**
 * Prints what metrics and traces cost: the same service beside itself, with and without them. The time of the CPU in the
 * quietest round counts: other work of the machine changes it least.
 */
export async function measureOverhead(load: LoadGenerator, folder: string, seconds: number, rounds: number) {
  const receiver = createServer((incoming, outgoing) => {
    incoming.resume().on('end', () => outgoing.end())
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const variants: [string, Record<string, string>][] = [
    ['neither', {}],
    // The same again shows how much of a difference is chance.
    ['neither, again', {}],
    ['metrics', { METRICS_PORT: '0' }],
    ...(hasTraceSdk
      ? ([['traces of all requests', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }]] satisfies [string, object][])
      : []),
  ]
  const services = await Promise.all(
    variants.map(async ([name, settings], i) => {
      const service = await startService(join(folder, `overhead-${i}`), { LOG_LEVEL: 'info', ...settings })
      const { tokens } = (await call(service.url, '/v1/admin/seed', {})) as { tokens: { admin: string } }
      return { name, service, cases: casesFor(tokens.admin) }
    }),
  )
  const rows: string[][] = []
  for (const name of measured) {
    const perSecond = services.map((): number[] => [])
    const cpu = services.map((): number[] => [])
    for (let round = -1; round < rounds; round++) {
      for (const [i, { service, cases }] of services.entries()) {
        const one = cases.find((found) => found.name === name)
        if (!one) throw new Error(`no case ${name}`)
        const { url: origin } = service
        const requests = [httpRequest(origin, one)]
        const before = cpuMicroseconds(service.pid)
        const timings = await load.run({ origin, requests, clients, limit: { seconds } })
        // The first round warms up.
        if (round < 0) continue
        perSecond[i]?.push(timings.perSecond)
        cpu[i]?.push((cpuMicroseconds(service.pid) - before) / timings.count)
      }
    }
    const medians = perSecond.map((values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0)
    for (const [i, { name: variant }] of services.entries()) {
      // The least is that of the quietest moment.
      const [each = 0, base = 1] = [cpu[i], cpu[0]].map((values = []) => Math.min(...values))
      const more = i === 0 ? '' : `${(100 * (each / base - 1)).toFixed(1)} %`
      rows.push([name, variant, short(medians[i] ?? 0), short(each), more])
    }
  }
  printTable(
    hasTraceSdk ? 'The cost of metrics and traces' : 'The cost of metrics (traces: npm run install:otel)',
    ['route', 'on', 'req/s', 'CPU µs / request', 'more than neither'],
    rows,
  )
  for (const { service } of services) await stopService(service)
  await new Promise((resolve) => receiver.close(resolve))
}

/** Time that the threads of a process have run, from Linux's /proc. */
function cpuMicroseconds(pid: number): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  )
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1000
}
