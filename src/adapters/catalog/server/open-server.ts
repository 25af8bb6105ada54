import type { Log } from '../../../ports/log.ts'
import { createGate, DatabaseUnreachable } from './gate.ts'
import { ServerPool } from './server-pool.ts'
import { startWatcher, type Watcher } from './watcher.ts'

/** Connects to a server; rejects when it does not answer. While it does not later on, the pool fails what it is asked. */
export async function openServer(
  url: string,
  log: Log,
): Promise<{ pool: ServerPool; watcher: Watcher; close(): Promise<void> }> {
  const gate = createGate()
  const pool = new ServerPool(url, gate)
  const watcher = await startWatcher(url, gate, log, pool.strays)
  pool.on('error', (error) => {
    // The watcher has said so already, once for all of them.
    if (!(error instanceof DatabaseUnreachable)) log.warn({ err: error }, 'a catalog connection broke')
  })
  const close = async () => {
    await pool.end()
    await watcher.close()
  }
  return { pool, watcher, close }
}
