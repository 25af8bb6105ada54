import type pg from 'pg'
import { isPooled } from './session.ts'

/** A connection that is checked out. */
interface Use {
  client: pg.PoolClient
  since: number
  /** The last check found that the server does no work on it. */
  suspected: boolean
}

/** How long a connection is in use before it is checked. */
const unsuspiciousMs = 2500

/**
 * Finds connections that only this side believes to be open: the network dropped one silently, so the statement or its
 * answer never arrives. TCP would wait for a quarter of an hour.
 */
export class StrayConnections {
  readonly #pids = new WeakMap<pg.ClientBase, number>()
  readonly #uses = new Map<pg.PoolClient, Use>()

  constructor(pool: pg.Pool) {
    pool.on('acquire', (client) => this.#uses.set(client, { client, since: performance.now(), suspected: false }))
    pool.on('release', (_, client) => this.#uses.delete(client))
    pool.on('remove', (client) => this.#uses.delete(client))
  }

  /** `backend` is the server's id of the connection. Behind a pooler the ids do not match and are not checked. */
  connected(client: pg.ClientBase, backend: number): void {
    if (!isPooled(client, backend)) this.#pids.set(client, backend)
  }

  /**
   * Cuts connections that the server did no work on, twice in a row. `working` returns which of the given backends are
   * at work. Our connections wait only for the server, so one that is not at work is lost.
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
