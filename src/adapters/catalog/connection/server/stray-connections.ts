import type pg from 'pg'
import { isPooled } from './session.ts'

/** A checkout of a connection that lasts. */
interface Use {
  client: pg.PoolClient
  since: number
  /** The server was found not to be at work on it. */
  suspected: boolean
}

/** How long a connection is used before anybody wonders. */
const unsuspiciousMs = 2500

/**
 * Finds connections that only this side still believes in: a network that dropped one of many without a word, so that the
 * statement, or its answer, never arrives. TCP would wait for a quarter of an hour.
 */
export class StrayConnections {
  readonly #pids = new WeakMap<pg.ClientBase, number>()
  readonly #uses = new Map<pg.PoolClient, Use>()

  constructor(pool: pg.Pool) {
    pool.on('acquire', (client) => this.#uses.set(client, { client, since: performance.now(), suspected: false }))
    pool.on('release', (_, client) => this.#uses.delete(client))
    pool.on('remove', (client) => this.#uses.delete(client))
  }

  /** `backend` is what the server calls the connection. Behind a pooler that is not what we hold, and nothing can be told. */
  connected(client: pg.ClientBase, backend: number): void {
    if (!isPooled(client, backend)) this.#pids.set(client, backend)
  }

  /**
   * Cuts those that the server was not at work on, twice in a row. `working` answers which of some backends are. Ours wait
   * for nothing but the server, so one that is not at work has been lost.
   */
  async cut(working: (pids: readonly number[]) => Promise<readonly number[]>): Promise<number> {
    const suspicious = new Map<number, Use>()
    for (const use of this.#uses.values()) {
      const pid = this.#pids.get(use.client)
      if (pid !== undefined && performance.now() - use.since > unsuspiciousMs) suspicious.set(pid, use)
    }
    if (suspicious.size === 0) return 0
    const atWork = new Set(await working([...suspicious.keys()]))
    let cut = 0
    for (const [pid, use] of suspicious) {
      if (this.#uses.get(use.client) !== use) continue
      if (use.suspected && !atWork.has(pid)) {
        use.client.connection.stream.destroy(new Error('the connection to the database was lost'))
        cut += 1
      }
      use.suspected = !atWork.has(pid)
    }
    return cut
  }
}
