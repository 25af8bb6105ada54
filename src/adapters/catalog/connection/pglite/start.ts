import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Duplex } from 'node:stream'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { PoolConfig } from 'pg'
import { createLimiter } from '../../../../async/limits.ts'
import { type Ending, WorkerHost } from '../../../../async/worker-host.ts'
import { isComplete, prepareDirectory, unusableCatalog } from './data-directory.ts'
import { type DirectoryLock, lockDirectory } from './lock.ts'
import type { DatabaseCalls, Start } from './messages.ts'
import type { Modules } from './modules.ts'
import { requireOpenFiles } from './open-files.ts'
import { PortStream } from './port-stream.ts'
import { optimiseNothing } from './without-optimising.ts'

export interface EmbeddedPostgres {
  /** For `new pg.Pool(…)`. The pool has one connection, so a transaction must not wait for a second one. */
  poolConfig: PoolConfig
  /** Leaves out maintenance, with its checkpoints, or resumes it. */
  holdMaintenance(isHeld: boolean): void
  /** Ends the pool's connection if it is still open, writes everything to disk, releases the directory. */
  close(): Promise<void>
}

/**
 * Runs PostgreSQL (PGlite, in a thread) on `<dataDir>/catalog`; creates both if they don't exist.
 * Throws `DataDirectoryLockedError` when the directory is in use, and `DataUnusableError` when the directory or its
 * content cannot be used. COPY FROM STDIN and cancelling a query are not supported.
 */
export async function startPglite(options: { dataDir: string }): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir)
  if (!isComplete(dataDir)) await createApart(dataDir)
  return locked(dataDir, async (lock) => {
    const worker = await DatabaseWorker.start(dataDir)
    return {
      poolConfig: {
        // All set explicitly, so that PG* environment variables have no effect.
        host: 'embedded',
        user: 'postgres',
        database: 'postgres',
        ssl: false,
        stream: () => worker.track(new PortStream(() => worker.connect())),
        max: 1,
        idleTimeoutMillis: 0,
      },
      holdMaintenance: (isHeld) => worker.holdMaintenance(isHeld),
      close: async () => {
        try {
          await worker.close()
        } finally {
          lock.release()
        }
      },
    }
  })
}

/**
 * Makes the catalog in a process of its own: that takes hundreds of MB, and after the end of a thread malloc would keep 40 of them. If it
 * fails, `startPglite` makes the catalog itself, or says what is wrong.
 */
async function createApart(dataDir: string): Promise<void> {
  const child = fork(new URL('./create.ts', import.meta.url), [dataDir], {
    execArgv: [optimiseNothing],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  await once(child, 'exit').catch(() => {})
}

/** Makes the catalog and closes it. Throws as `startPglite` does. */
export async function createCatalog(dataDir: string): Promise<void> {
  await locked(dataDir, async (lock) => {
    const worker = await DatabaseWorker.start(dataDir)
    await worker.close()
    lock.release()
  })
}

/** Runs `work`, which takes over the lock of the directory, unless it fails. */
async function locked<T>(dataDir: string, work: (lock: DirectoryLock) => Promise<T>): Promise<T> {
  requireOpenFiles()
  prepareDirectory(dataDir)
  const lock = lockDirectory(dataDir)
  try {
    return await work(lock)
  } catch (error) {
    lock.release()
    throw unusableCatalog(dataDir, error)
  }
}

/** How long a new connection waits for the previous one to close. */
const timeoutMs = 30_000

/** With the code that tells `pg` that the server closed the connection: a client that is closing then ignores it. */
const closed = () => Object.assign(new Error('the embedded database is closed'), { code: 'ECONNRESET' })

/** Compiled once in a process: where a database is opened after another, as in tests, that was a fifth of the time. */
let compiled: Modules | null = null

/** The database thread, seen from outside: provides its one connection and tells all users if the thread dies. */
class DatabaseWorker {
  private readonly host: WorkerHost<DatabaseCalls>
  private readonly streams = new Set<Duplex>()
  private readonly turns = createLimiter({ max: 1, wait: { ms: timeoutMs, late } })
  /** Resolves when the last connection that was given is closed. */
  private served: Promise<unknown> = Promise.resolve()
  /** From then on no connection is given. */
  private readonly over = new AbortController()
  private closing: Promise<void> | null = null
  /** One number: whether the thread leaves out its maintenance. Shared, so that it counts at once. */
  private readonly held = new Int32Array(new SharedArrayBuffer(4))

  static async start(dataDir: string): Promise<DatabaseWorker> {
    const started = new DatabaseWorker(dataDir, compiled)
    compiled = await started.host.call('open', null)
    return started
  }

  private constructor(dataDir: string, modules: Modules | null) {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: { dataDir, modules, held: this.held } satisfies Start,
      // Otherwise a thread would inherit flags of this process, such as a debugger's port.
      execArgv: [],
      // PostgreSQL checks for deep nesting, but the default stack of 4 MB overflows first, which kills the database.
      // It holds few objects: what it works with is in WebAssembly's memory.
      resourceLimits: { stackSizeMb: 64, maxYoungGenerationSizeMb: 12 },
    })
    this.host = new WorkerHost(worker, { failureOf, onEnd: (error) => this.giveUp(error) })
  }

  /** Remembers a stream until it closes, so that it ends when the database does. */
  track<S extends Duplex>(stream: S): S {
    this.streams.add(stream)
    stream.once('close', () => this.streams.delete(stream))
    return stream
  }

  /** The port of a new connection, once the previous one is closed. */
  async connect(): Promise<MessagePort> {
    const { signal } = this.over
    const leave = await this.turns.enter({ signal })
    signal.throwIfAborted()
    const { port1, port2 } = new MessageChannel()
    const giveUp = (error: unknown) => this.giveUp(error)
    this.served = this.host.call('connect', port2, [port2]).then(leave, giveUp)
    return port1
  }

  /** Whether maintenance, with its checkpoints, is left out. */
  holdMaintenance(isHeld: boolean): void {
    Atomics.store(this.held, 0, isHeld ? 1 : 0)
  }

  close(): Promise<void> {
    this.closing ??= this.end()
    return this.closing
  }

  private async end(): Promise<void> {
    this.giveUp(closed())
    try {
      await this.served
      await this.host.call('close', null)
    } finally {
      await this.host.end()
    }
  }

  private giveUp(error: unknown): void {
    this.over.abort(error)
    for (const stream of this.streams) stream.destroy(error as Error)
  }
}

const failureOf = ({ error, code }: Ending) =>
  new Error(`the embedded database failed: ${error?.message ?? `its thread ended with code ${code}`}`)

const late = () => new Error('the embedded database serves one connection at a time, and another one is still open')
