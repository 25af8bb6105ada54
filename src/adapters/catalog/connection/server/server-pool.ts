import pg from 'pg'
import { integer } from '../../database/columns.ts'
import { rowsOf } from '../../database/rows.ts'
import { LargeValuesClient } from '../driver/large-values-client.ts'
import { DatabaseUnreachableError, type Gate } from './gate.ts'
import { StrayConnections } from './stray-connections.ts'

/** Requests that may wait for a connection at once; more fail, so that no queue grows without bound. */
const maxWaiting = 1000

/**
 * A transaction whose process hangs, or vanished without closing its connection (a lost host, a cut network), would
 * hold its namespace's head row until TCP gives up, hours later. Our transactions are short and wait only for the
 * database.
 */
const settle = `SELECT set_config('idle_in_transaction_session_timeout', '15s', FALSE), pg_backend_pid() AS backend`

type Done = (release?: unknown) => void
type Callback = (err: Error | undefined, client: pg.PoolClient | undefined, done: Done) => void

/** Connections to a server while the gate is open: without an answer requests fail early instead of hanging. */
export class ServerPool extends pg.Pool {
  readonly #gate: Gate
  readonly strays: StrayConnections

  constructor(url: string, gate: Gate) {
    super({
      connectionString: url,
      Client: LargeValuesClient,
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
