import type { Log } from '../../../../model/log.ts'
import { createGate, DatabaseUnreachableError } from './gate.ts'
import { ServerPool } from './server-pool.ts'
import { createTurns, type Turns } from './turns.ts'
import { startWatcher, type Watcher } from './watcher.ts'

/** Of ten connections: a namespace whose head row is held up leaves some to others, and writing some to reading. */
const maxWriting = 8
const maxWritingOne = 5

/** Connects to a server; rejects when it does not answer. While it does not later on, the pool fails what it is asked. */
export async function openServer(
  url: string,
  log: Log,
): Promise<{ pool: ServerPool; watcher: Watcher; inTurn: Turns; close(): Promise<void> }> {
  const gate = createGate()
  const pool = new ServerPool(url, gate)
  const watcher = await startWatcher(url, gate, log, pool.strays)
  pool.on('error', (error) => {
    // The watcher has said so already, once for all of them.
    if (!(error instanceof DatabaseUnreachableError)) log.warn({ err: error }, 'a catalog connection broke')
  })
  const close = async () => {
    await pool.end()
    await watcher.close()
  }
  // Writers of one namespace wait for each other on the server, each with a connection: not with all that there are.
  const [ofAll, ofNamespace] = [createTurns(maxWriting), createTurns(maxWritingOne)]
  const inTurn: Turns = (namespaceId, work) => ofNamespace(namespaceId, () => ofAll('', work))
  return { pool, watcher, inTurn, close }
}
