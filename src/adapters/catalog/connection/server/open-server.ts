import pg from 'pg'
import { createLimiter, type Limits } from '../../../../async/limits.ts'
import type { Log } from '../../../../model/log.ts'
import { integer, rowsOf } from '../../database/columns.ts'
import { CatalogClient } from '../driver/large-values.ts'
import { createGate, DatabaseUnreachableError, type Gate } from './gate.ts'
import { StrayConnections } from './stray-connections.ts'
import { startWatcher, type Watcher } from './watcher.ts'

/** Of ten connections. A namespace whose head row is blocked leaves some to others; writes leave some to reads. */
const maxWriting = 8
const maxWritingOne = 5

/** Requests that may wait for a connection at once, and writers for their turn; more fail, so that no queue grows without bound. */
const maxWaiting = 1000

/**
 * Writers queue for each other, so the timeout is generous. If the server stops answering, running work fails at once,
 * and all waiting work fails after it.
 */
const waitMs = 60_000

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

/**
 * A transaction whose process hangs, or vanished without closing its connection (a lost host, a cut network), would
 * hold its namespace's head row until TCP gives up, hours later. Our transactions are short and wait only for the
 * database.
 */
const settle = `SELECT set_config('idle_in_transaction_session_timeout', '15s', FALSE), pg_backend_pid() AS backend`

type Done = (release?: unknown) => void
type Callback = (err: Error | undefined, client: pg.PoolClient | undefined, done: Done) => void

/** Connections to a server while the gate is open: without an answer requests fail early instead of hanging. */
class ServerPool extends pg.Pool {
  readonly #gate: Gate
  readonly strays: StrayConnections

  constructor(url: string, gate: Gate) {
    super({
      connectionString: url,
      Client: CatalogClient,
      max: 10,
      connectionTimeoutMillis: 4000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5000,
      stream: () => gate.socket(),
      onConnect: async (client) => {
        const [own] = await rowsOf(client, { backend: integer }, settle)
        if (own) this.strays.connected(client, own.backend)
      },
    })
    this.#gate = gate
    this.strays = new StrayConnections(this)
    // A connection that breaks while in use fails its query; an unhandled event would end the process.
    this.on('connect', (client) => client.on('error', () => {}))
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: Callback): void
  override connect(callback?: Callback): Promise<pg.PoolClient> | undefined {
    const refusal = this.#gate.down ?? (this.waitingCount >= maxWaiting ? tooMany() : null)
    if (refusal === null) {
      if (!callback) return super.connect()
      super.connect(callback)
      return
    }
    if (!callback) return Promise.reject(refusal)
    process.nextTick(callback, refusal, undefined, () => {})
    return
  }
}

const tooMany = () => new DatabaseUnreachableError(new Error(`${maxWaiting} requests wait for a connection already`))
