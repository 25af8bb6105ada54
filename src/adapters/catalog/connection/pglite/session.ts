import type { MessagePort } from 'node:worker_threads'
import type { PGlite } from '@electric-sql/pglite'
import { Frames, query, sync, terminate } from './frames.ts'
import { maintain } from './maintenance.ts'
import type { Reply } from './messages.ts'

/** Interval of the maintenance check while there are queries. */
const maintenanceMs = 5_000

/** Also checked after this much input: plans made for a table's first rows are wrong for the following thousands. */
const maintenanceBytes = 4 * 1024 * 1024

/** Sends one protocol message to the backend; `onRawData` gets views of its memory, valid only during the call. */
async function execute(database: PGlite, message: Uint8Array, onRawData: (bytes: Uint8Array) => void): Promise<void> {
  // No syncToFs: on real files PostgreSQL's own fsync is what makes a commit durable.
  await database.execProtocolRawStream(message, { syncToFs: false, onRawData })
}

/**
 * Serves one connection until the client says goodbye or its port closes, then resets the backend.
 * A checkpoint on a full disk ends the database, so maintenance is skipped while it may not write.
 */
export async function serve(database: PGlite, port: MessagePort, mayMaintain: () => boolean): Promise<void> {
  const frames = new Frames()
  const outbox = new Outbox(port)
  let open = true
  let maintainedAt = performance.now()
  let received = 0
  const answer = async (chunk: Uint8Array) => {
    frames.push(chunk)
    received += chunk.length
    for (let frame = frames.next(); frame && open; frame = frames.next()) {
      if (frame[0] === terminate) open = false
      else await execute(database, frame, outbox.add)
    }
    outbox.flush()
    // Between two transactions of this connection; a timer might never find a free moment.
    const isQuiet = frames.betweenQueries && !database.isInTransaction()
    const isDue = performance.now() - maintainedAt > maintenanceMs || received > maintenanceBytes
    if (isQuiet && isDue && mayMaintain()) {
      // Not a reason to fail a query; a broken backend shows in other ways.
      await maintain(database).catch((error: Error) => process.emitWarning(`database maintenance: ${error.message}`))
      maintainedAt = performance.now()
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
 * Does what a server does when a connection closes. The backend has only one session, so the next client would inherit
 * an open transaction, prepared statements, settings and advisory locks. The first ROLLBACK ends work in progress.
 * After an error the backend skips everything until a Sync, so a Sync and a second ROLLBACK follow.
 */
async function reset(database: PGlite): Promise<void> {
  for (const message of [query('ROLLBACK'), sync, query('ROLLBACK'), query('DISCARD ALL')]) {
    await execute(database, message, () => {})
  }
  if (database.isInTransaction()) throw new Error('the database could not be brought back to a clean state')
}

/** A post costs far more than a copy, and the backend writes 8 kB at a time: collect, and send this much at once. */
const batchBytes = 256 * 1024

/** Collects the backend's output and posts it in order, in few messages. */
class Outbox {
  private readonly port: MessagePort
  private buffer = new Uint8Array(batchBytes)
  private used = 0

  constructor(port: MessagePort) {
    this.port = port
  }

  /** Copies, because the view is of the backend's memory, which is overwritten when this returns. */
  readonly add = (bytes: Uint8Array): void => {
    if (this.used + bytes.length > this.buffer.length) {
      this.post(false)
      if (bytes.length > this.buffer.length) this.buffer = new Uint8Array(bytes.length)
    }
    this.buffer.set(bytes, this.used)
    this.used += bytes.length
  }

  /** Sends the rest and reports that the chunk which caused it is processed. */
  flush(): void {
    this.post(true)
  }

  private post(done: boolean): void {
    const bytes = this.used > 0 ? this.buffer.slice(0, this.used) : null
    this.used = 0
    const reply: Reply = { bytes, done }
    this.port.postMessage(reply, bytes ? [bytes.buffer] : [])
  }
}
