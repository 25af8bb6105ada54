import type { Duplex } from 'node:stream'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { createLimiter } from '../../../../async/limits.ts'
import { type Ending, WorkerHost } from '../../../../async/worker-host.ts'
import type { DatabaseCalls, Start } from './messages.ts'
import type { Modules } from './modules.ts'

/** How long a new connection waits for the previous one to close. */
const timeoutMs = 30_000

/** With the code that tells `pg` that the server closed the connection: a client that is closing then ignores it. */
const closed = () => Object.assign(new Error('the embedded database is closed'), { code: 'ECONNRESET' })

/** Compiled once in a process: where a database is opened after another, as in tests, that was a fifth of the time. */
let compiled: Modules | null = null

/** The database thread, seen from outside: provides its one connection and tells all users if the thread dies. */
export class DatabaseWorker {
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
