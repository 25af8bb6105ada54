import pg from 'pg'
import { filled } from '../../database/large-values.ts'

const Connection = pg.Client as unknown as new (config?: unknown) => { query(...args: unknown[]): unknown }

/** For the option `Client` of a pool: puts the large values into its statements. */
export const LargeValuesClient = class extends Connection {
  override query(statement: unknown, ...rest: unknown[]): unknown {
    return super.query(withValues(statement), ...rest)
  }
} as unknown as typeof pg.Client

function withValues(statement: unknown): unknown {
  if (typeof statement !== 'object' || statement === null) return statement
  // One that submits itself is more than its fields.
  if (!('values' in statement) || 'submit' in statement) return statement
  return Array.isArray(statement.values) ? { ...statement, values: filled(statement.values) } : statement
}
