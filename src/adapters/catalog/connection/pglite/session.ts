import type { MessagePort } from 'node:worker_threads'
import type { PGlite } from '@electric-sql/pglite'
import { Frames, query, sync, terminate } from './frames.ts'
import { maintain } from './maintenance.ts'
import { Outbox } from './outbox.ts'

/** Maintenance is looked into this often, while there are queries. */
const maintenanceMs = 5_000

/** And whenever this much has come in: the plans of a table's first rows are wrong for the thousands after them. */
const maintenanceBytes = 4 * 1024 * 1024

/** Sends one protocol message to the backend; `onRawData` gets views of its memory, valid only during the call. */
async function execute(database: PGlite, message: Uint8Array, onRawData: (bytes: Uint8Array) => void): Promise<void> {
  // No syncToFs: on real files PostgreSQL's own fsync is what makes a commit durable.
  await database.execProtocolRawStream(message, { syncToFs: false, onRawData })
}

/**
 * Serves one connection until the client says goodbye or its port closes, then leaves the backend as if new.
 * A checkpoint on a full disk ends the database, so maintenance is left out while it may not write.
 */
export async function serve(database: PGlite, port: MessagePort, mayMaintain: () => boolean): Promise<void> {
  const frames = new Frames()
  const outbox = new Outbox(port)
  let open = true
  let maintainedAt = Date.now()
  let received = 0
  const answer = async (chunk: Uint8Array) => {
    frames.push(chunk)
    received += chunk.length
    for (let frame = frames.next(); frame && open; frame = frames.next()) {
      if (frame[0] === terminate) open = false
      else await execute(database, frame, outbox.add)
    }
    outbox.flush()
    // In its own turn, between two transactions; a timer could find every moment taken.
    const isQuiet = frames.betweenQueries && !database.isInTransaction()
    const isDue = Date.now() - maintainedAt > maintenanceMs || received > maintenanceBytes
    if (isQuiet && isDue && mayMaintain()) {
      // Not worth failing a query for; a backend that is broken shows it on its own.
      await maintain(database).catch((error: Error) => process.emitWarning(`database maintenance: ${error.message}`))
      maintainedAt = Date.now()
      received = 0
    }
  }
  await new Promise<void>((resolve, reject) => {
    let work = Promise.resolve()
    port.on('message', (chunk: Uint8Array) => {
      work = work.then(() => answer(chunk))
      work.catch(reject)
    })
    port.on('close', () => {
      open = false
      work.then(resolve, reject)
    })
  })
  await reset(database)
}

/**
 * What a server does when a connection goes away. The backend has only one session, so the next client would inherit an
 * open transaction, prepared statements, settings and advisory locks. The first ROLLBACK ends work that was in flight;
 * after an error it is skipped (everything is, until a Sync), which is why Sync and a second one follow.
 */
async function reset(database: PGlite): Promise<void> {
  for (const message of [query('ROLLBACK'), sync, query('ROLLBACK'), query('DISCARD ALL')]) {
    await execute(database, message, () => {})
  }
  if (database.isInTransaction()) throw new Error('the database could not be brought back to a clean state')
}
