/**
 * The memory of the service while clients do not read, do not finish what they send, or only connect.
 * `npm run bench:slow-clients -- [--readers 10000] [--only silent]`; `ulimit -n` must be above the number of readers.
 */
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { readArguments } from '../support/arguments.ts'
import { benchDir, exitOnSignals } from '../support/leave-nothing.ts'
import { call, startService, stopService } from '../support/service.ts'
import { printTable } from '../support/table.ts'

exitOnSignals()
const { values } = readArguments({
  options: { readers: { type: 'string', default: '10000' }, only: { type: 'string', default: '' } },
})
const readers = Number(values.readers)
const mib = 2 ** 20
const watchMs = 40_000
const folder = benchDir('slow-clients')
const rows: string[][] = []

type Service = Awaited<ReturnType<typeof startService>>

const rssOf = ({ pid }: Service): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

function open({ url }: Service, bytes: readonly (string | Uint8Array)[] = []): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname, () => {
    for (const one of bytes) socket.write(one)
  })
  return socket.on('error', () => {})
}

const get = (path: string, token?: string) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${token ? `Authorization: Bearer ${token}\r\n` : ''}\r\n`

/** Milliseconds until a probe on a new connection has its answer; null without one in ten seconds. */
async function probe({ url }: Service, path: string): Promise<number | null> {
  const began = performance.now()
  const status = await new Promise<number | undefined>((resolve) => {
    const timeout = { signal: AbortSignal.timeout(10_000) }
    request(`${url}${path}`, { agent: false, ...timeout }, (answer) =>
      answer.resume().on('end', () => resolve(answer.statusCode)),
    )
      .on('error', () => resolve(undefined))
      .end()
  })
  return status === 200 ? performance.now() - began : null
}

/** The path of the page with the long Units, which came last. */
async function longPage({ url }: Service, token: string): Promise<string> {
  for (let cursor = 0; ; ) {
    const response = await fetch(`${url}/v1/units?cursor=${cursor}`, { headers: { authorization: `Bearer ${token}` } })
    const { units, next_cursor: next } = (await response.json()) as { units: unknown[]; next_cursor: number | null }
    if (next === null) return `/v1/units?cursor=${cursor + units.length - 100}`
    cursor = next
  }
}

/** Lets clients do `begin`, and writes down the most memory of the service, and how its probes answered meanwhile. */
async function measure(name: string, begin: (service: Service, token: string, long: string) => Promise<Socket[]>) {
  if (!name.includes(values.only)) return
  const service = await startService(`${folder.path}/${rows.length}`, { CATALOG_MEMORY_MB: '16' })
  const { tokens } = (await call(service.url, '/v1/admin/seed', {})) as { tokens: { admin: string } }
  const text = 'the ferry leaves '.repeat(17_000)
  for (let i = 0; i < 100; i += 10) {
    const units = Array.from({ length: 10 }, (_, k) => ({
      scope: 'harbor/general',
      external_id: `long ${i + k}`,
      text: `${i + k} ${text}`,
    }))
    await call(service.url, '/v1/ingest', { units }, tokens.admin)
  }
  const long = await longPage(service, tokens.admin)
  await sleep(10_000)
  const before = rssOf(service)
  const sockets = await begin(service, tokens.admin, long)
  let max = before
  const waits: (number | null)[] = []
  for (const end = performance.now() + watchMs; performance.now() < end; await sleep(250)) {
    max = Math.max(max, rssOf(service))
    for (const path of ['/livez', '/readyz', '/v1/health']) waits.push(await probe(service, path))
  }
  const open = sockets.filter((one) => !one.destroyed && one.readyState !== 'closed').length
  for (const socket of sockets) socket.destroy()
  const answered = waits.filter((ms) => ms !== null)
  rows.push([
    name,
    `${Math.round(before)}`,
    `+${Math.round(max - before)}`,
    `${open} of ${sockets.length}`,
    `${answered.length} of ${waits.length}`,
    answered.length === 0 ? '-' : `${Math.round(Math.max(...answered))}`,
  ])
  console.log(rows.at(-1)?.join(' | '))
  await stopService(service)
}

await measure('60 lists of 28 MB, unread', async (service, token, long) =>
  Array.from({ length: 60 }, () => open(service, [get(long, token)]).pause()),
)
await measure('100 anonymous uploads that stop at 15 of 16 MB', async (service) => {
  const head = `POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${16 * mib}\r\n\r\n`
  const part = Buffer.alloc(15 * mib, 32)
  const sockets = Array.from({ length: 100 }, () => open(service, [head, part]))
  for (const socket of sockets) socket.resume()
  return sockets
})
await measure('2,300 silent connections', async (service) => {
  const sockets: Socket[] = []
  for (let i = 0; i < 2_300; i += 1) {
    sockets.push(open(service).resume())
    if (i % 100 === 0) await sleep(10)
  }
  return sockets
})
for (const path of ['/v1/units', '/openapi.json']) {
  await measure(`${readers} slow readers of ${path}`, async (service, token, long) => {
    const sockets: Socket[] = []
    for (let i = 0; i < readers; i += 1) {
      const socket = open(service, [path === '/openapi.json' ? get(path) : get(long, token)]).pause()
      sockets.push(socket)
      setInterval(() => socket.read(1024), 1_000).unref()
      if (i % 100 === 0) await sleep(10)
    }
    return sockets
  })
}
printTable(
  'Memory of the service',
  ['clients', 'MiB before', 'most', 'still connected', 'probes answered', 'slowest probe, ms'],
  rows,
)
folder.remove()
