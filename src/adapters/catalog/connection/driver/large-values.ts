import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { storageFull, storageUnavailable } from '../../../../errors.ts'

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

/** For the option `Client` of a pool: puts the large values into its statements, and translates faults of the disk. */
export const CatalogClient = class extends Connection {
  override query(statement: unknown, ...rest: unknown[]): unknown {
    const done = rest.at(-1)
    if (typeof done === 'function') {
      rest[rest.length - 1] = (error: Error | null, ...results: unknown[]) =>
        done(error && storageFailure(error), ...results)
    }
    const result = super.query(withValues(statement), ...rest)
    if (!(result instanceof Promise)) return result
    return result.catch((error: Error) => {
      throw storageFailure(error)
    })
  }
} as unknown as typeof pg.Client

/** Prisma would take an error with a `code`, as callers get, for one of its own: it is the `originalError` of this one. */
class StorageError extends Error {
  readonly originalError: Error

  constructor(originalError: Error) {
    super(originalError.message)
    this.originalError = originalError
  }
}

/** `io_error` and `undefined_file` of PostgreSQL: a disk that fails, and a data directory that was deleted. */
const failing = ['58030', '58P01']

/** The error for a full, failing or missing disk; any other error unchanged. */
function storageFailure(error: Error & { code?: unknown }): Error {
  const { code, message } = error
  if (code === '53100' || /No space left on device|Disk quota exceeded/.test(message)) {
    return new StorageError(storageFull())
  }
  return failing.includes(`${code}`) ||
    /Read-only file system|Input\/output error|Too many open files|No file descriptors available/.test(message)
    ? new StorageError(storageUnavailable())
    : error
}

function withValues(statement: unknown): unknown {
  if (typeof statement !== 'object' || statement === null) return statement
  // One that submits itself is more than its fields.
  if (!('values' in statement) || 'submit' in statement) return statement
  return Array.isArray(statement.values) ? { ...statement, values: filled(statement.values) } : statement
}
