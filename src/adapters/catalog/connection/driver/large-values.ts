import { randomUUID } from 'node:crypto'
import pg from 'pg'

type Value = string | Uint8Array

/** By the text that stands for each of them in a running statement. */
const values = new Map<string, Value>()

/**
 * Runs a statement whose large parameters Prisma does not see: it would write them as JSON twice, and bytes as base64. What
 * the work gets stands for the values, in their order, until it ends.
 */
export async function withLargeValues<T>(
  large: readonly Value[],
  work: (...names: string[]) => Promise<T>,
): Promise<T> {
  const names = large.map(() => randomUUID())
  for (const [i, value] of large.entries()) values.set(names[i] ?? '', value)
  try {
    return await work(...names)
  } finally {
    for (const name of names) values.delete(name)
  }
}

/** The parameters that a statement is sent with. */
const filled = (parameters: readonly unknown[]): unknown[] =>
  parameters.map((parameter) => (typeof parameter === 'string' ? (values.get(parameter) ?? parameter) : parameter))

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
