/** What a raw statement selects: a type of PostgreSQL, and the type of its values here. */
export interface Column<T> {
  /** As `format_type` writes it. */
  type:
    | 'text'
    | 'text[]'
    | 'integer'
    | 'integer[]'
    | 'bigint'
    | 'double precision'
    | 'boolean'
    | 'bytea'
    | 'json'
    | 'jsonb'
  /** Throws for a value that does not fit the type. */
  read(value: unknown): T
}

export type Columns = Readonly<Record<string, Column<unknown>>>

export type Row<C extends Columns> = { [Name in keyof C]: C[Name] extends Column<infer T> ? T : never }

/** The database holds a value that no version of this service writes. Omits the value, which may be a tenant's. */
class StoredValueError extends Error {
  override readonly name = 'StoredValueError'

  constructor(expected: string) {
    super(`the catalog holds a value that is not ${expected}`)
  }
}

function checked<T>(isValid: (value: unknown) => value is T, expected: string): (value: unknown) => T {
  return (value) => {
    if (!isValid(value)) throw new StoredValueError(expected)
    return value
  }
}

const isString = (value: unknown) => typeof value === 'string'
const isNumber = (value: unknown) => typeof value === 'number'

export const text: Column<string> = { type: 'text', read: checked(isString, 'a text') }
export const bool: Column<boolean> = {
  type: 'boolean',
  read: checked((value) => typeof value === 'boolean', 'a boolean'),
}
export const integer: Column<number> = { type: 'integer', read: checked(isNumber, 'an integer') }
export const float: Column<number> = { type: 'double precision', read: checked(isNumber, 'a number') }
export const bytes: Column<Uint8Array> = {
  type: 'bytea',
  read: checked((value) => value instanceof Uint8Array, 'bytes'),
}

/** Times, seqs and counts: all of them are below 2^53. */
export const bigint: Column<number> = {
  type: 'bigint',
  read: (value) => {
    if (typeof value !== 'bigint') throw new StoredValueError('an integer')
    return Number(value)
  },
}

const isNumbers = (value: unknown): value is number[] => Array.isArray(value) && value.every(isNumber)
export const integers: Column<number[]> = { type: 'integer[]', read: checked(isNumbers, 'a list of integers') }

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isString)
export const texts: Column<string[]> = { type: 'text[]', read: checked(isTexts, 'a list of texts') }

/** Throws for a text that is not one of the values: tiers, kinds, states and the like are plain text columns. */
export function oneOf<T extends string>(values: readonly T[], what: string): (value: unknown) => T {
  const known: ReadonlySet<unknown> = new Set(values)
  return checked((value): value is T => known.has(value), what)
}

/** The same for each text of a list. */
export function someOf<T extends string>(values: readonly T[], what: string): (value: unknown) => T[] {
  const one = oneOf(values, what)
  return (value) => texts.read(value).map(one)
}

/** A text column with a known set of values. */
export const word = <T>(read: (value: unknown) => T): Column<T> => ({ type: 'text', read })

export const orNull = <T>({ type, read }: Column<T>): Column<T | null> => ({
  type,
  read: (value) => (value === null ? null : read(value)),
})

/** Of the audit log, including NULL: verification reports a row that was tampered with; reading it is not an error. */
export const stored = <T>(type: Column<T>['type']): Column<T> => ({ type, read: (value) => value as T })

/** For an outer join: each of them may be null. */
export const allOrNull = <C extends Columns>(columns: C) =>
  Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, orNull(column)])) as {
    [Name in keyof C]: Column<Row<C>[Name] | null>
  }

/** An object or array of JSON. Only this adapter writes these columns, in the model's own shapes. */
export const jsonOf = <T extends object>(value: unknown): T => {
  if (!isObject<T>(value)) throw new StoredValueError('an object')
  return value
}

const isObject = <T extends object>(value: unknown): value is T => typeof value === 'object' && value !== null

export const json = <T extends object>(type: 'json' | 'jsonb' = 'jsonb'): Column<T> => ({ type, read: jsonOf<T> })

/** JSON with further checks. */
export const jsonWith = <T>(read: (value: unknown) => T): Column<T> => ({ type: 'json', read })

/** Checks the selected values, in place. */
export function readRows<C extends Columns>(columns: C, records: readonly unknown[]): Row<C>[] {
  const entries: [string, Column<unknown>][] = Object.entries(columns)
  return records.map((record) => {
    const row = record as Record<string, unknown>
    for (const [name, { read }] of entries) row[name] = read(row[name])
    return row as Row<C>
  })
}

/** A connection, or a pool of them. */
export interface Client {
  query(sql: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** The rows of a statement that administers the database, read by the declared columns. */
export const rowsOf = async <C extends Columns>(
  client: Client,
  columns: C,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row<C>[]> => readRows(columns, (await client.query(sql, [...values])).rows)
