import type pg from 'pg'
import type { Telemetry } from '../../../model/telemetry.ts'

/** Reports how long each use of the pool waits for its connection. */
export function observeWaits(pool: pg.Pool, telemetry: Telemetry): void {
  const connect = pool.connect.bind(pool) as (...args: unknown[]) => unknown
  // Statements outside of transactions pass here too: `pool.query` connects with a callback.
  const observed = (callback?: (...results: unknown[]) => void): unknown => {
    const began = performance.now()
    const waited = () => telemetry.waited('connection', performance.now() - began)
    if (callback) {
      return connect((...results: unknown[]) => {
        waited()
        callback(...results)
      })
    }
    return (connect() as Promise<unknown>).finally(waited)
  }
  pool.connect = observed as typeof pool.connect
}
