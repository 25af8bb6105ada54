import { createLimiter, type Limits } from '../../../../async/limiter.ts'
import type { Log } from '../../../../model/log.ts'
import { createGate, DatabaseUnreachableError } from './gate.ts'
import { ServerPool } from './server-pool.ts'
import { startWatcher, type Watcher } from './watcher.ts'

/** Of ten connections. A namespace whose head row is blocked leaves some to others; writes leave some to reads. */
const maxWriting = 8
const maxWritingOne = 5

/**
 * Writers queue for each other, so the timeout is generous. If the server stops answering, running work fails at once,
 * and all waiting work fails after it.
 */
const waitMs = 60_000
const maxWaiting = 1000

export const writersAtOnce = (max: number): Limits => ({
  max,
  line: { max: maxWaiting, full: () => unreachable(`${maxWaiting} writers wait already`) },
  wait: { ms: waitMs, late: () => unreachable(`no turn within ${waitMs} ms`) },
})

const unreachable = (problem: string) => new DatabaseUnreachableError(new Error(problem))

/** Runs a write of a namespace when it is its turn. */
export type InTurn = <T>(namespaceId: string, work: () => Promise<T>) => Promise<T>

/** Connects to a server; rejects when it does not answer. If it stops answering later, the pool fails all requests. */
export async function openServer(
  url: string,
  log: Log,
): Promise<{ pool: ServerPool; watcher: Watcher; inTurn: InTurn; close(): Promise<void> }> {
  const gate = createGate()
  const pool = new ServerPool(url, gate)
  const watcher = await startWatcher(url, gate, log, pool.strays)
  pool.on('error', (error) => {
    // The watcher has already logged it, once for all connections.
    if (!(error instanceof DatabaseUnreachableError)) log.warn({ err: error }, 'a catalog connection broke')
  })
  const close = async () => {
    await pool.end()
    await watcher.close()
  }
  // Writers of one namespace wait for each other on the server, each with a connection. They must not take all of them.
  const [ofAll, ofNamespace] = [createLimiter(writersAtOnce(maxWriting)), createLimiter(writersAtOnce(maxWritingOne))]
  const inTurn: InTurn = (namespaceId, work) => ofNamespace.run({ key: namespaceId }, () => ofAll.run({}, work))
  return { pool, watcher, inTurn, close }
}
