import type pg from 'pg'
import { filled } from '../database/large-values.ts'

type Query = (...args: unknown[]) => unknown

/** Puts the large values into the statements of a pool. */
export function passLargeValues(pool: pg.Pool): void {
  const seen = new WeakSet<pg.PoolClient>()
  pool.on('acquire', (client) => {
    if (seen.has(client)) return
    seen.add(client)
    const passing: Query = (statement, ...rest) => classOf(client).query.call(client, withValues(statement), ...rest)
    client.query = passing as typeof client.query
  })
}

/** Looked up for each statement: what observes all statements takes the place of the method of the class. */
const classOf = (client: pg.PoolClient): { query: Query } => Object.getPrototypeOf(client)

function withValues(statement: unknown): unknown {
  if (typeof statement !== 'object' || statement === null) return statement
  // One that submits itself is more than its fields.
  if (!('values' in statement) || 'submit' in statement) return statement
  return Array.isArray(statement.values) ? { ...statement, values: filled(statement.values) } : statement
}
