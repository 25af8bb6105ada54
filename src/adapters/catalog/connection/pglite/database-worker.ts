import type { Duplex } from 'node:stream'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { isComplete } from './data-directory.ts'
import type { Command, Report, Start } from './messages.ts'
import type { Modules } from './modules.ts'
import { withoutOptimising } from './without-optimising.ts'

/** How long a new connection waits for the previous one to close. */
const timeoutMs = 30_000

/** With the code that tells `pg` that the server closed the connection: a client that is closing then ignores it. */
const closed = () => Object.assign(new Error('the embedded database is closed'), { code: 'ECONNRESET' })

/** Compiled once in a process: where a database is opened after another, as in tests, that was a fifth of the time. */
let compiled: Modules | null = null

interface Waiting {
  give(port: MessagePort): void
  refuse(error: Error): void
}

/** The database thread, seen from outside: provides its one connection and tells all users if the thread dies. */
export class DatabaseWorker {
  private readonly worker: Worker
  private readonly streams = new Set<Duplex>()
  private readonly waiting: Waiting[] = []
  private readonly ready = Promise.withResolvers<Modules>()
  private readonly ended = Promise.withResolvers<void>()
  private busy = true
  private closing = false
  private failure: Error | null = null
  /** One number: whether the thread leaves out its maintenance. Shared, so that it counts at once. */
  private readonly held = new Int32Array(new SharedArrayBuffer(4))

  static async start(dataDir: string): Promise<DatabaseWorker> {
    await DatabaseWorker.create(dataDir)
    const started = new DatabaseWorker(dataDir, { isCreation: false, modules: compiled })
    compiled = await started.ready.promise
    return started
  }

  private constructor(dataDir: string, options: Pick<Start, 'isCreation' | 'modules'>) {
    this.worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: { dataDir, ...options, held: this.held } satisfies Start,
      // Otherwise a thread would inherit flags of this process, such as a debugger's port.
      execArgv: [],
      // PostgreSQL checks for deep nesting, but the default stack of 4 MB overflows first, which kills the database.
      // It holds few objects: what it works with is in WebAssembly's memory.
      resourceLimits: { stackSizeMb: 64, maxYoungGenerationSizeMb: 12 },
    })
    this.worker.on('message', (report: Report) => this.onReport(report))
    this.worker.on('error', (error) => this.fail(error.message))
    this.worker.on('exit', (code) => {
      if (!this.closing) this.fail(`its thread ended with code ${code}`)
      this.ended.resolve()
    })
  }

  /**
   * Makes the catalog, if there is none. That takes hundreds of MB, which only the end of its thread gives back. Without modules of
   * others the thread compiles its own, which end with it.
   */
  static async create(dataDir: string): Promise<void> {
    if (isComplete(dataDir)) return
    await withoutOptimising(async () => {
      const creating = new DatabaseWorker(dataDir, { isCreation: true, modules: null })
      await creating.ready.promise
      await creating.close()
    })
  }

  /** Remembers a stream until it closes, so that it ends when the database does. */
  track<S extends Duplex>(stream: S): S {
    this.streams.add(stream)
    stream.once('close', () => this.streams.delete(stream))
    return stream
  }

  /** The port of a new connection, once the previous one is closed. */
  connect(): Promise<MessagePort> {
    const { promise, resolve, reject } = Promise.withResolvers<MessagePort>()
    const turn: Waiting = { give: resolve, refuse: reject }
    this.waiting.push(turn)
    const timer = setTimeout(() => {
      this.waiting.splice(this.waiting.indexOf(turn), 1)
      reject(new Error('the embedded database serves one connection at a time, and another one is still open'))
    }, timeoutMs)
    this.serveNext()
    return promise.finally(() => clearTimeout(timer))
  }

  /** Whether maintenance, with its checkpoints, is left out. */
  holdMaintenance(isHeld: boolean): void {
    Atomics.store(this.held, 0, isHeld ? 1 : 0)
  }

  async close(): Promise<void> {
    if (!this.closing) {
      this.closing = true
      this.refuseAll(closed())
      if (!this.busy) this.command({ kind: 'close' })
    }
    await this.ended.promise
    if (this.failure) throw this.failure
  }

  private onReport(report: Report): void {
    if (report.kind === 'failed') this.fail(report.reason)
    if (report.kind === 'ready') this.ready.resolve(report.modules)
    if (report.kind === 'ready' || report.kind === 'free') {
      this.busy = false
      if (this.closing) this.command({ kind: 'close' })
      this.serveNext()
    }
  }

  private serveNext(): void {
    const unavailable = this.failure ?? (this.closing ? closed() : null)
    if (unavailable) this.refuseAll(unavailable)
    const next = this.busy ? undefined : this.waiting.shift()
    if (!next) return
    this.busy = true
    const { port1, port2 } = new MessageChannel()
    this.command({ kind: 'connect', port: port2 })
    next.give(port1)
  }

  private command(command: Command): void {
    this.worker.postMessage(command, command.kind === 'connect' ? [command.port] : [])
  }

  private fail(reason: string): void {
    this.failure ??= new Error(`the embedded database failed: ${reason}`)
    this.ready.reject(this.failure)
    this.refuseAll(this.failure)
  }

  private refuseAll(error: Error): void {
    for (const { refuse } of this.waiting.splice(0)) refuse(error)
    for (const stream of this.streams) stream.destroy(error)
  }
}
