/**
 * One, two and more server processes on one PostgreSQL; clients are distributed over them in turn.
 * `npm run bench:replicas -- [--replicas 3] [--seconds 2] [--rounds 3] [--clients 16]`.
 */
import { availableParallelism } from 'node:os'
import { performance } from 'node:perf_hooks'
import { createReplicas } from '../../test/support/process/replicas.ts'
import type { ServerProcess } from '../../test/support/process/server-process.ts'
import { readArguments } from '../support/arguments.ts'
import { closedLoop } from '../support/closed-loop.ts'
import { openConnection } from '../support/http-connection.ts'
import { exitOnSignals } from '../support/leave-nothing.ts'
import { call } from '../support/service.ts'
import { printTable, short } from '../support/table.ts'
import { type Case, casesFor } from './cases.ts'
import { cpuOf } from './cpu.ts'

exitOnSignals()
const { values } = readArguments({
  options: {
    replicas: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '16' },
  },
})
const max = Number(values.replicas)
const seconds = Number(values.seconds)
const clients = Number(values.clients)

if (!process.env.TEST_DATABASE_URL) {
  console.log('skipped: replicas need a PostgreSQL server, in TEST_DATABASE_URL')
  process.exit(0)
}

interface Measured {
  perSecond: number
  p50: number
  /** CPU cores that all replicas used together. */
  cores: number
  /** The share of the time in which the client was busy. */
  client: number
}

await using group = await createReplicas({ INGEST_WAIT_MS: '0' })
const running: ServerProcess[] = []
for (let number = 0; number < max; number += 1) running.push(await group.start(number))
const [first] = running
if (!first) throw new Error('at least one replica is needed')
const { tokens } = (await call(first.url, '/v1/admin/seed', {})) as { tokens: Record<string, string> }
const cases = casesFor(['admin', 'pro', 'enterprise'].map((name) => tokens[name] ?? ''))

const rows: string[][] = []
for (const one of cases) {
  await measure(one, max, Math.min(seconds, 0.5))
  const measured = Array.from({ length: max }, (): Measured[] => [])
  // Alternating, so that a busy moment of the machine affects all.
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (let count = 1; count <= max; count += 1) measured[count - 1]?.push(await measure(one, count, seconds))
  }
  const medians = measured.map(median)
  for (const [i, { perSecond, p50, cores, client }] of medians.entries()) {
    rows.push([
      i === 0 ? one.name : '',
      `${i + 1}`,
      short(perSecond),
      short(perSecond / (medians[0]?.perSecond ?? Number.NaN)),
      short(p50),
      short(p50 / (medians[0]?.p50 ?? Number.NaN)),
      short(cores),
      `${short(100 * client)} %`,
    ])
  }
}
printTable(
  `Replicas on one PostgreSQL, ${clients} clients, everything on this machine`,
  ['what', 'replicas', 'per second', 'to one', 'p50 ms', 'to one', 'replicas’ cores', 'client busy'],
  rows,
)
console.log(
  `The machine has ${availableParallelism()} cores, for the replicas, PostgreSQL and the client: where they are all busy, more ` +
    'replicas only share them. Writes of one namespace wait for each other in any case.',
)
for (const replica of running) replica.kill('SIGTERM')
await Promise.all(running.map(({ exited }) => exited))

async function measure(one: Case, count: number, limit: number): Promise<Measured> {
  const used = running.slice(0, count)
  const connections = await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      const origin = used[client % count]?.url ?? ''
      return { client, origin, connection: await openConnection(origin) }
    }),
  )
  const pids = used.map(({ pid }) => pid)
  const [cpuBefore, loopBefore] = [await cpuOf(pids), performance.eventLoopUtilization()]
  const {
    perSecond,
    p50,
    seconds: took,
  } = await closedLoop(
    connections.map(
      ({ client, origin, connection }) =>
        (n: number) =>
          connection.send(one.request(origin, client, n)),
    ),
    { seconds: limit },
  )
  const cores = ((await cpuOf(pids)) - cpuBefore) / took
  const client = performance.eventLoopUtilization(loopBefore).utilization
  for (const { connection } of connections) connection.close()
  return { perSecond, p50, cores, client }
}

/** The median round by throughput. */
function median(rounds: readonly Measured[]): Measured {
  const middle = rounds.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(rounds.length / 2)]
  if (!middle) throw new Error('no rounds')
  return middle
}
