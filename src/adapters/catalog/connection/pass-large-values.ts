import type pg from 'pg'
import { filled } from '../database/large-values.ts'

type Query = (...args: unknown[]) => unknown

/** Puts the large values into the statements of a pool. */
export function passLargeValues(pool: pg.Pool): void {
  const seen = new WeakSet<pg.PoolClient>()
  pool.on('acquire', (client) => {
    if (seen.has(client)) return
    seen.add(client)
    const query = client.query.bind(client) as Query
    const passing: Query = (statement, ...rest) => query(withValues(statement), ...rest)
    client.query = passing as typeof client.query
  })
}

function withValues(statement: unknown): unknown {
  if (typeof statement !== 'object' || statement === null) return statement
  // One that submits itself is more than its fields.
  if (!('values' in statement) || 'submit' in statement) return statement
  return Array.isArray(statement.values) ? { ...statement, values: filled(statement.values) } : statement
}
