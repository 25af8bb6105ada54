import type pg from 'pg'
import type { Telemetry } from '../../../model/telemetry.ts'

type Query = (...args: unknown[]) => unknown

/** Reports each statement of the pool by its first word, where that is wanted. Its text never leaves. */
export function observeStatements(pool: pg.Pool, { database }: Telemetry): void {
  if (!database) return
  const seen = new WeakSet<pg.PoolClient>()
  pool.on('acquire', (client) => {
    if (seen.has(client)) return
    seen.add(client)
    const query = client.query.bind(client) as Query
    const observed: Query = (statement, ...rest) => {
      const call = { system: 'postgresql' as const, operation: operationOf(statement) }
      const callback = rest.at(-1)
      if (typeof callback === 'function') {
        const ended = Promise.withResolvers<void>()
        database(call, () => ended.promise).catch(() => {})
        const done = (...results: unknown[]) => {
          if (results[0]) ended.reject(results[0])
          else ended.resolve()
          callback(...results)
        }
        return query(statement, ...rest.slice(0, -1), done)
      }
      const isPromised = typeof statement === 'string' || !('submit' in (statement as object))
      return isPromised
        ? database(call, () => query(statement, ...rest) as Promise<unknown>)
        : query(statement, ...rest)
    }
    client.query = observed as typeof client.query
  })
}

function operationOf(statement: unknown): string {
  const text = typeof statement === 'string' ? statement : `${(statement as { text?: string }).text}`
  return /^\s*([a-z]{1,20})\b/i.exec(text)?.[1]?.toUpperCase() ?? 'STATEMENT'
}

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
