import type { Log } from '../../../../model/log.ts'
import { createGate, DatabaseUnreachableError } from './gate.ts'
import { ServerPool } from './server-pool.ts'
import { createTurns, type Turns } from './turns.ts'
import { startWatcher, type Watcher } from './watcher.ts'

/** Of ten connections. A namespace whose head row is blocked leaves some to others; writes leave some to reads. */
const maxWriting = 8
const maxWritingOne = 5

/** Connects to a server; rejects when it does not answer. If it stops answering later, the pool fails all requests. */
export async function openServer(
  url: string,
  log: Log,
): Promise<{ pool: ServerPool; watcher: Watcher; inTurn: Turns; close(): Promise<void> }> {
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
  const [ofAll, ofNamespace] = [createTurns(maxWriting), createTurns(maxWritingOne)]
  const inTurn: Turns = (namespaceId, work) => ofNamespace(namespaceId, () => ofAll('', work))
  return { pool, watcher, inTurn, close }
}
